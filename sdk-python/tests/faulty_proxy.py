from __future__ import annotations

import random
import socket
import threading
from urllib.parse import urlsplit


class FaultyProxy:
    """A bad line to the service: connections break after a random number of bytes, in either direction."""

    def __init__(self, base_url: str, cut_after: tuple[int, int] = (20_000, 120_000), share: float = 0.6) -> None:
        target = urlsplit(base_url)
        self._target = (target.hostname or "127.0.0.1", target.port or 80)
        self._cut_after = cut_after
        self._share = share
        self._random = random.Random(7)
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target)
            except OSError:
                return
            budget = [self._random.randint(*self._cut_after) if self._random.random() < self._share else 1 << 60]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(one, other, budget), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, budget: list[int]) -> None:
        try:
            while piece := source.recv(8192):
                budget[0] -= len(piece)
                if budget[0] < 0:
                    self.cuts += 1
                    break
                sink.sendall(piece)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
