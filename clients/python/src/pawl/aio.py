"""The same for asyncio. Requests are made in threads, so that heartbeats go on even while a handler
keeps the event loop busy."""

from __future__ import annotations

import asyncio
import functools
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, TypeVar

from .client import Client, Snapshot
from .errors import Ended, PawlError, Stop
from .flow import Children, Spawned, Wait
from .job import Job
from .lease import Lease
from .transport import Duration, seconds_of
from .worker import CLAIM_PAUSE_MAX, WorkerBase, report_problem, settle

log = logging.getLogger("pawl")
Value = TypeVar("Value")
THREADS = 32


class AsyncClient:
    """A Client whose methods are awaited."""

    def __init__(self, url: str = "http://127.0.0.1:8080", **options: Any) -> None:
        self.sync = Client(url, **options)
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="pawl-http")

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self._pool.shutdown)
        self.sync.close()

    async def in_thread(self, work: Callable[..., Value], *args: Any, **options: Any) -> Value:
        call = functools.partial(work, *args, **options)
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    async def put_type(self, type: str, definition: Mapping[str, Any]) -> Dict[str, Any]:
        return await self.in_thread(self.sync.put_type, type, definition)

    async def enqueue(self, type: str, input: Any = None, **options: Any) -> "AsyncJobHandle":
        handle = await self.in_thread(self.sync.enqueue, type, input, **options)
        return AsyncJobHandle(self, handle.id, handle.is_new)

    async def enqueue_many(
        self, jobs: Sequence[Mapping[str, Any]], *, key: Optional[str] = None, atomic: bool = False
    ) -> List[Dict[str, Any]]:
        return await self.in_thread(self.sync.enqueue_many, jobs, key=key, atomic=atomic)

    def job(self, job_id: str) -> "AsyncJobHandle":
        return AsyncJobHandle(self, job_id, False)

    async def claim(self, worker_id: str, types: Sequence[str], **options: Any) -> List[Lease]:
        return await self.in_thread(self.sync.claim, worker_id, types, **options)


class AsyncJobHandle:
    """A job that was accepted, or is known by its id."""

    def __init__(self, client: AsyncClient, id: str, is_new: bool) -> None:
        self.client = client
        self.id = id
        self.is_new = is_new
        self._sync = client.sync.job(id)

    async def snapshot(self, *, payloads: bool = False) -> Snapshot:
        return await self.client.in_thread(self._sync.snapshot, payloads=payloads)

    async def ended(self, timeout: Optional[Duration] = None) -> Snapshot:
        return await self.client.in_thread(self._sync.ended, timeout)

    async def result(self, timeout: Optional[Duration] = None) -> Any:
        return await self.client.in_thread(self._sync.result, timeout)

    async def cancel(self, *, mode: str = "soft", reason: Optional[str] = None) -> Snapshot:
        return await self.client.in_thread(self._sync.cancel, mode=mode, reason=reason)

    async def send(self, name: str, payload: Any = None, *, key: Optional[str] = None) -> str:
        return await self.client.in_thread(self._sync.send, name, payload, key=key)

    async def events(self) -> List[Dict[str, Any]]:
        return await self.client.in_thread(lambda: list(self._sync.events()))


class AsyncJob:
    """A Job whose words are awaited. A cancelled job's handler gets asyncio.CancelledError."""

    def __init__(self, job: Job, client: AsyncClient) -> None:
        self.sync = job
        self._client = client
        self.id = job.id
        self.type = job.type
        self.attempt = job.attempt
        self.idempotency_key = job.idempotency_key

    @property
    def input(self) -> Any:
        return self.sync.input

    @property
    def last_checkpoint(self) -> Any:
        return self.sync.last_checkpoint

    @property
    def cancel_reason(self) -> Optional[str]:
        return self.sync.cancel_reason

    def progress(self, percent: float, message: Optional[str] = None) -> None:
        self.sync.progress(percent, message)

    def log(self, line: str, level: str = "info") -> None:
        self.sync.log(line, level)

    def snooze(self, delay: Duration, checkpoint: Any = None) -> None:
        self.sync.snooze(delay, checkpoint)

    async def checkpoint(self, value: Any) -> None:
        await self._client.in_thread(self.sync.checkpoint, value)

    async def stage(self, name: str, work: Callable[[], Awaitable[Value]]) -> Value:
        if name in self.sync.lease.stages:
            self.sync.check()
            kept: Value = self.sync.lease.stages[name]
            return kept
        self.sync.begin_stage(name)
        result = await work()
        return await self._client.in_thread(self.sync.keep_stage, name, result)

    async def call(self, name: str, type: str, input: Any = None, **options: Any) -> Any:
        return await self._client.in_thread(self.sync.call, name, type, input, **options)

    async def call_all(
        self, name: str, type: str, inputs: Mapping[str, Any], **options: Any
    ) -> Children:
        return await self._client.in_thread(self.sync.call_all, name, type, inputs, **options)

    async def spawn(self, name: str, type: str, input: Any = None, **options: Any) -> Spawned:
        return await self._client.in_thread(self.sync.spawn, name, type, input, **options)

    async def sleep(self, name: str, delay: Duration) -> None:
        await self._client.in_thread(self.sync.sleep, name, delay)

    async def receive(self, name: str, **options: Any) -> Any:
        return await self._client.in_thread(self.sync.receive, name, **options)

    async def first(
        self, name: str, waits: Mapping[str, Wait], *, on_lose: str = "cancel"
    ) -> Tuple[str, Any]:
        return await self._client.in_thread(self.sync.first, name, waits, on_lose=on_lose)

    async def wait(self, wait: Wait) -> Any:
        return await self._client.in_thread(self.sync.wait, wait)


AsyncHandler = Callable[[AsyncJob], Awaitable[Any]]


class AsyncWorker(WorkerBase):
    """Runs coroutine handlers as tasks, ``concurrency`` at a time."""

    def __init__(self, client: AsyncClient, **options: Any) -> None:
        super().__init__(client.sync, **options)
        self._async = client
        self._handlers: Dict[str, AsyncHandler] = {}
        self._tasks: Dict[asyncio.Task[None], Job] = {}
        self._stopping = asyncio.Event()
        self._working: Optional[asyncio.Future[None]] = None

    def job(self, type: str, **definition: Any) -> Callable[[AsyncHandler], AsyncHandler]:
        """Registers a handler; ``definition`` has members of ``PUT /v1/types/{type}``."""

        def add(handler: AsyncHandler) -> AsyncHandler:
            self._define(type, definition)
            self._handlers[type] = handler
            return handler

        return add

    def request_stop(self) -> None:
        """Claims nothing more; ``run`` returns when the jobs in flight have ended."""
        self._stopping.set()

    async def start(self) -> "AsyncWorker":
        """Registers the types and works in the background."""
        if self._register:
            await self._async.in_thread(self.register_types)
        self._working = asyncio.ensure_future(self._work())
        return self

    async def run(self, grace: Duration = 30.0) -> None:
        """Works until ``request_stop``, then waits for the jobs in flight and gives back the rest."""
        await self.start()
        await self._stopping.wait()
        await self.stop(grace)

    async def stop(self, grace: Duration = 30.0) -> None:
        """Claims nothing more, waits for the jobs in flight and gives back those still running."""
        self.request_stop()
        if self._working is not None:
            await self._working
        await self._drain(seconds_of(grace))

    async def __aenter__(self) -> "AsyncWorker":
        return await self.start()

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def _work(self) -> None:
        pause = 0.1
        while not self._stopping.is_set():
            if len(self._tasks) >= self.concurrency:
                await asyncio.wait(self._tasks, timeout=0.5, return_when=asyncio.FIRST_COMPLETED)
                continue
            if await self._async.in_thread(self.look):
                self.request_stop()
                continue
            try:
                leases = await self._async.in_thread(self.take, self.concurrency - len(self._tasks))
                pause = 0.1
            except PawlError as problem:
                log.warning("could not claim jobs, trying again: %s", problem)
                await asyncio.sleep(pause)
                pause = min(CLAIM_PAUSE_MAX, pause * 2)
                continue
            for lease in leases:
                self._begin(lease)

    async def _drain(self, grace: float) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=grace)
        for task, job in list(self._tasks.items()):
            try:
                await self._async.in_thread(job.release, "shutdown")
            except PawlError as problem:
                report_problem(job, problem)
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        await self._async.in_thread(self.announce, "stopped")

    def _begin(self, lease: Lease) -> None:
        loop = asyncio.get_running_loop()
        handler: List[asyncio.Task[Any]] = []

        def on_stop() -> None:
            for task in handler:
                loop.call_soon_threadsafe(task.cancel)

        job = Job(lease, on_stop=on_stop)
        task = loop.create_task(self._attempt(job, handler))
        self._tasks[task] = job
        task.add_done_callback(lambda done: self._tasks.pop(done, None))

    async def _attempt(self, job: Job, handler: List[asyncio.Task[Any]]) -> None:
        result: Any = None
        error: Optional[BaseException] = None
        try:
            await self._async.in_thread(job.begin)
            running = asyncio.ensure_future(_run(self._handlers[job.type], AsyncJob(job, self._async)))
            handler.append(running)
            if job.is_stopping:
                running.cancel()
            await asyncio.wait({running})
            result, error = _outcome(running, job)
        except asyncio.CancelledError:
            error = Ended("the worker was stopped")
        except (Exception, Stop) as raised:
            error = raised
        try:
            word = await self._async.in_thread(settle, job, result, error)
            log.info("%s %s", word, job.id)
        except Exception as problem:
            report_problem(job, problem)


async def _run(handler: AsyncHandler, job: AsyncJob) -> Any:
    return await handler(job)


def _outcome(task: "asyncio.Task[Any]", job: Job) -> Tuple[Any, Optional[BaseException]]:
    """A handler that was cancelled ends as what cancelled it says."""
    try:
        return task.result(), None
    except asyncio.CancelledError as cancelled:
        try:
            job.check()
        except Stop as stop:
            return None, stop
        return None, cancelled
    except (Exception, Stop) as raised:
        return None, raised
