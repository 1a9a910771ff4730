"""Does what the steps ask for: `SyncDriver` waits, `AsyncDriver` is awaited. Nothing else in the package does either."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, TypeVar, Union

import httpx

from .effects import Block, Effect, Fetch, Hang, Listen, NextEvent, Send, Sleep, Steps, Together
from .errors import ConnectionFailed, read_refusal
from .events import EventReader, ServerEvent

T = TypeVar("T")
TokenSource = Union[str, None, Callable[[], Union[str, None]], Callable[[], Awaitable[Union[str, None]]]]

_FETCH_TIMEOUT = httpx.Timeout(60.0)
_PIECE_BYTES = 1 << 20
# The server sends a comment every 15 s; silence longer than this is a dead connection.
_STREAM_TIMEOUT = httpx.Timeout(10.0, read=45.0)


@contextlib.contextmanager
def _faults(host: str, was_there: bool = False) -> Iterator[None]:
    """Turns httpx's many errors into the one that means: no answer."""
    try:
        yield
    except httpx.HTTPError as error:
        failure = _describe(host, error)
        failure.was_there = was_there
        raise failure from error


def _describe(host: str, error: httpx.HTTPError) -> ConnectionFailed:
    if isinstance(error, httpx.TimeoutException):
        return ConnectionFailed(f"{host} did not answer in time.")
    if isinstance(error, httpx.DecodingError):
        return ConnectionFailed(f"The answer of {host} was cut off.")
    return ConnectionFailed(f"{host} cannot be reached: {error}.")


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


def _stream_arguments(base_url: str, listen: Listen, token: str | None) -> dict[str, Any]:
    headers = {"accept": "text/event-stream", **listen.headers}
    if token:
        headers["authorization"] = f"Bearer {token}"
    return {"method": "GET", "url": base_url + listen.path, "params": listen.params, "headers": headers, "timeout": _STREAM_TIMEOUT}


class _Stream:
    def __init__(self) -> None:
        self.closing = contextlib.ExitStack()
        self.pieces: Iterator[str] = iter(())
        self.reader = EventReader()


class _AsyncStream:
    def __init__(self) -> None:
        self.closing = contextlib.AsyncExitStack()
        self.pieces: AsyncIterator[str]
        self.reader = EventReader()


class Stopped(Exception):
    """Another task of the same operation failed."""


class SyncDriver:
    def __init__(self, base_url: str, token: TokenSource, client: httpx.Client | None = None) -> None:
        self.base_url = base_url.rstrip("/")
        self._token = token
        self._client = client or httpx.Client(follow_redirects=False)
        self._host = httpx.URL(self.base_url).netloc.decode()
        self._has_answered = False

    def close(self) -> None:
        self._client.close()

    def run(self, steps: Steps[T], stop: threading.Event | None = None) -> T:
        with contextlib.ExitStack() as opened:
            return self._run(steps, stop, opened)

    def _run(self, steps: Steps[T], stop: threading.Event | None, opened: contextlib.ExitStack) -> T:
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
                outcome = self._do(effect, stop, opened)
            except Exception as error:
                failure = error

    def _do(self, effect: Effect, stop: threading.Event | None, opened: contextlib.ExitStack) -> Any:
        if isinstance(effect, Send):
            return self._send(effect)
        if isinstance(effect, Fetch):
            return self._fetch(effect, stop)
        if isinstance(effect, Listen):
            return self._listen(effect, opened)
        if isinstance(effect, NextEvent):
            return self._next_event(effect.stream)
        if isinstance(effect, Hang):
            return effect.stream.closing.close()
        if isinstance(effect, Sleep):
            return stop.wait(effect.seconds) if stop is not None else time.sleep(effect.seconds)
        if isinstance(effect, Block):
            return effect.work()
        return self._together(effect)

    def _find_token(self) -> str | None:
        token = self._token() if callable(self._token) else self._token
        if inspect.isawaitable(token):
            raise TypeError("Client needs a token function that is not async; AsyncClient takes both.")
        return token

    def _send(self, effect: Send) -> httpx.Response:
        token = self._find_token()
        with _faults(self._host, self._has_answered):
            arguments = _request_arguments(effect, token)
            response = self._client.request(**{**arguments, "url": self.base_url + effect.path})
        self._has_answered = True
        return _check(response)

    def _listen(self, effect: Listen, opened: contextlib.ExitStack) -> _Stream:
        stream = _Stream()
        opened.enter_context(stream.closing)
        token = self._find_token()
        with _faults(self._host):
            response = stream.closing.enter_context(self._client.stream(**_stream_arguments(self.base_url, effect, token)))
            if not response.is_success:
                response.read()
                raise read_refusal(response)
        stream.pieces = response.iter_text()
        return stream

    def _next_event(self, stream: _Stream) -> ServerEvent | None:
        with _faults(self._host):
            while not stream.reader.events:
                piece = next(stream.pieces, None)
                if piece is None:
                    return None
                stream.reader.take(piece)
        return stream.reader.events.popleft()

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
        self._has_answered = False

    async def close(self) -> None:
        await self._client.aclose()

    async def run(self, steps: Steps[T]) -> T:
        async with contextlib.AsyncExitStack() as opened:
            return await self._run(steps, opened)

    async def _run(self, steps: Steps[T], opened: contextlib.AsyncExitStack) -> T:
        outcome: Any = None
        failure: BaseException | None = None
        while True:
            try:
                effect = steps.throw(failure) if failure is not None else steps.send(outcome)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            outcome, failure = None, None
            try:
                outcome = await self._do(effect, opened)
            except Exception as error:
                failure = error

    async def _do(self, effect: Effect, opened: contextlib.AsyncExitStack) -> Any:
        if isinstance(effect, Send):
            return await self._send(effect)
        if isinstance(effect, Fetch):
            return await self._fetch(effect)
        if isinstance(effect, Listen):
            return await self._listen(effect, opened)
        if isinstance(effect, NextEvent):
            return await self._next_event(effect.stream)
        if isinstance(effect, Hang):
            return await effect.stream.closing.aclose()
        if isinstance(effect, Sleep):
            return await asyncio.sleep(effect.seconds)
        if isinstance(effect, Block):
            return await asyncio.to_thread(effect.work)
        return await self._together(effect)

    async def _find_token(self) -> str | None:
        token = self._token() if callable(self._token) else self._token
        return await token if inspect.isawaitable(token) else token

    async def _send(self, effect: Send) -> httpx.Response:
        token = await self._find_token()
        with _faults(self._host, self._has_answered):
            arguments = _request_arguments(effect, token)
            response = await self._client.request(**{**arguments, "url": self.base_url + effect.path})
        self._has_answered = True
        return _check(response)

    async def _listen(self, effect: Listen, opened: contextlib.AsyncExitStack) -> _AsyncStream:
        stream = _AsyncStream()
        await opened.enter_async_context(stream.closing)
        token = await self._find_token()
        with _faults(self._host):
            arguments = _stream_arguments(self.base_url, effect, token)
            response = await stream.closing.enter_async_context(self._client.stream(**arguments))
            if not response.is_success:
                await response.aread()
                raise read_refusal(response)
        stream.pieces = response.aiter_text()
        return stream

    async def _next_event(self, stream: _AsyncStream) -> ServerEvent | None:
        with _faults(self._host):
            while not stream.reader.events:
                try:
                    stream.reader.take(await stream.pieces.__anext__())
                except StopAsyncIteration:
                    return None
        return stream.reader.events.popleft()

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


