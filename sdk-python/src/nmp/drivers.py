"""Does what the steps ask for: `SyncDriver` waits, `AsyncDriver` is awaited. Nothing else in the package does either."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, Awaitable, Callable, Iterator, TypeVar, Union

import httpx

from .effects import Block, Effect, Fetch, Send, Sleep, Steps, Together
from .errors import ConnectionFailed, read_refusal

T = TypeVar("T")
TokenSource = Union[str, None, Callable[[], Union[str, None]], Callable[[], Awaitable[Union[str, None]]]]

_FETCH_TIMEOUT = httpx.Timeout(60.0)
_PIECE_BYTES = 1 << 20


@contextlib.contextmanager
def _faults(host: str) -> Iterator[None]:
    """httpx's many errors as the one that says: no answer."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise ConnectionFailed(f"{host} did not answer in time.") from error
    except httpx.TransportError as error:
        raise ConnectionFailed(f"{host} cannot be reached: {error}.") from error
    except httpx.DecodingError as error:
        raise ConnectionFailed(f"The answer of {host} broke off.") from error


def _request_arguments(send: Send, token: str | None) -> dict[str, Any]:
    headers = {"accept": "application/json", **send.headers}
    if token:
        headers["authorization"] = f"Bearer {token}"
    return {
        "method": send.method,
        "url": send.path,
        "params": send.params or None,
        "headers": headers,
        "json": send.json,
        "content": send.content,
        "timeout": httpx.Timeout(send.timeout_seconds),
    }


def _check(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    raise read_refusal(response)


class Stopped(Exception):
    """Another task of the same work has failed."""


class SyncDriver:
    def __init__(self, base_url: str, token: TokenSource, client: httpx.Client | None = None) -> None:
        self.base_url = base_url.rstrip("/")
        self._token = token
        self._client = client or httpx.Client(follow_redirects=False)
        self._host = httpx.URL(self.base_url).netloc.decode()

    def close(self) -> None:
        self._client.close()

    def run(self, steps: Steps[T], stop: threading.Event | None = None) -> T:
        outcome: Any = None
        failure: BaseException | None = None
        while True:
            try:
                effect = steps.throw(failure) if failure is not None else steps.send(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            outcome, failure = None, None
            try:
                if stop is not None and stop.is_set():
                    raise Stopped
                outcome = self._do(effect, stop)
            except Exception as error:
                failure = error

    def _do(self, effect: Effect, stop: threading.Event | None) -> Any:
        if isinstance(effect, Send):
            return self._send(effect)
        if isinstance(effect, Fetch):
            return self._fetch(effect, stop)
        if isinstance(effect, Sleep):
            return stop.wait(effect.seconds) if stop is not None else time.sleep(effect.seconds)
        if isinstance(effect, Block):
            return effect.work()
        return self._together(effect)

    def _send(self, effect: Send) -> httpx.Response:
        token = self._token() if callable(self._token) else self._token
        if inspect.isawaitable(token):
            raise TypeError("Client needs a token function that is not async; AsyncClient takes both.")
        with _faults(self._host):
            arguments = _request_arguments(effect, token)
            return _check(self._client.request(**{**arguments, "url": self.base_url + effect.path}))

    def _fetch(self, effect: Fetch, stop: threading.Event | None) -> None:
        with _faults(httpx.URL(effect.url).host), self._client.stream(
            "GET", effect.url, headers={"accept-encoding": "identity", **effect.headers}, timeout=_FETCH_TIMEOUT, follow_redirects=True
        ) as response:
            if not response.is_success:
                response.read()
                raise read_refusal(response)
            effect.begin(response.status_code, response.headers)
            for piece in response.iter_raw(_PIECE_BYTES):
                if stop is not None and stop.is_set():
                    raise Stopped
                effect.take(piece)

    def _together(self, effect: Together) -> list[Any]:
        stop = threading.Event()
        with ThreadPoolExecutor(max_workers=max(1, effect.limit)) as pool:
            futures = [pool.submit(self.run, task, stop) for task in effect.tasks]
            try:
                done, waiting = wait(futures, return_when=FIRST_EXCEPTION)
            except BaseException:
                # Ctrl-C: what is under way ends at its next piece, and the rest never begins.
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
            if waiting:
                stop.set()
                for future in waiting:
                    future.cancel()
            failures = [future.exception() for future in done if future.exception() is not None]
            for failure in sorted(failures, key=lambda one: isinstance(one, Stopped)):
                if failure is not None:
                    raise failure
        return [future.result() for future in futures]


class AsyncDriver:
    def __init__(self, base_url: str, token: TokenSource, client: httpx.AsyncClient | None = None) -> None:
        self.base_url = base_url.rstrip("/")
        self._token = token
        self._client = client or httpx.AsyncClient(follow_redirects=False)
        self._host = httpx.URL(self.base_url).netloc.decode()

    async def close(self) -> None:
        await self._client.aclose()

    async def run(self, steps: Steps[T]) -> T:
        outcome: Any = None
        failure: BaseException | None = None
        while True:
            try:
                effect = steps.throw(failure) if failure is not None else steps.send(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            outcome, failure = None, None
            try:
                outcome = await self._do(effect)
            except Exception as error:
                failure = error

    async def _do(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            return await self._send(effect)
        if isinstance(effect, Fetch):
            return await self._fetch(effect)
        if isinstance(effect, Sleep):
            return await asyncio.sleep(effect.seconds)
        if isinstance(effect, Block):
            return await asyncio.to_thread(effect.work)
        return await self._together(effect)

    async def _send(self, effect: Send) -> httpx.Response:
        token = self._token() if callable(self._token) else self._token
        known = await token if inspect.isawaitable(token) else token
        with _faults(self._host):
            arguments = _request_arguments(effect, known)
            return _check(await self._client.request(**{**arguments, "url": self.base_url + effect.path}))

    async def _fetch(self, effect: Fetch) -> None:
        with _faults(httpx.URL(effect.url).host):
            async with self._client.stream(
                "GET", effect.url, headers={"accept-encoding": "identity", **effect.headers}, timeout=_FETCH_TIMEOUT, follow_redirects=True
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise read_refusal(response)
                effect.begin(response.status_code, response.headers)
                async for piece in response.aiter_raw(_PIECE_BYTES):
                    await asyncio.to_thread(effect.take, piece)

    async def _together(self, effect: Together) -> list[Any]:
        gate = asyncio.Semaphore(max(1, effect.limit))

        async def run(task: Steps[Any]) -> Any:
            async with gate:
                return await self.run(task)

        tasks = [asyncio.ensure_future(run(task)) for task in effect.tasks]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


