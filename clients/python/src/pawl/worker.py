"""A worker: claims jobs, runs their handlers in threads, and reports how they ended."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence

from .client import Client
from .errors import Cancelled, Ended, Forbidden, LeaseLost, NotFound, PawlError, Snoozed, Stop
from .job import Job
from .lease import Lease, failure_of
from .transport import Duration, seconds_of

log = logging.getLogger("pawl")

Handler = Callable[[Job], Any]
ANNOUNCE_EVERY = 10.0
CLAIM_PAUSE_MAX = 5.0


def settle(job: Job, result: Any, error: Optional[BaseException]) -> str:
    """Reports how a turn ended, in a word; a job that is another's by now gets no report."""
    if isinstance(job.stop_reason, Ended):
        error = job.stop_reason
    ended_already = isinstance(error, Stop) and not isinstance(error, (Cancelled, Snoozed))
    try:
        job.close(flush=not ended_already)
        if error is None:
            job.lease.complete(result)
            return "completed"
        if isinstance(error, Cancelled):
            job.lease.cancelled(job.last_checkpoint)
            return "cancelled"
        if isinstance(error, Snoozed):
            job.lease.snooze(error.delay_ms / 1000, error.checkpoint)
            return "snoozed"
        if ended_already:
            return type(error).__name__.lower()
        job.lease.fail(failure_of(error))
        return "failed"
    except (LeaseLost, NotFound) as lost:
        log.warning("job %s is no longer this worker's: %s", job.id, lost)
        return "lost"
    except Stop:
        return "lost"


def report_problem(job: Job, problem: Exception) -> None:
    """The end could not be reported: its lease expires, and another attempt is made."""
    log.error("could not report the end of job %s: %s", job.id, problem)


class WorkerBase:
    """What workers with threads and with asyncio have in common."""

    def __init__(
        self,
        client: Client,
        *,
        id: Optional[str] = None,
        concurrency: int = 1,
        queues: Optional[Sequence[str]] = None,
        claim_wait: Duration = 5.0,
        register: bool = True,
    ) -> None:
        self.client = client
        self.id = id or f"{socket.gethostname()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self.concurrency = concurrency
        self.queues = queues
        self.claim_wait = seconds_of(claim_wait)
        self._register = register
        self._definitions: Dict[str, Dict[str, Any]] = {}
        self._announced_at = float("-inf")

    @property
    def types(self) -> List[str]:
        return list(self._definitions)

    def _define(self, type: str, definition: Mapping[str, Any]) -> None:
        if type in self._definitions:
            raise ValueError(f"type {type!r} has a handler already")
        self._definitions[type] = {"lifecycle": "task", **definition}

    def register_types(self) -> None:
        """Tells the server of the types; a credential that may not change types goes by what is there."""
        for type, definition in self._definitions.items():
            try:
                self.client.put_type(type, definition)
            except Forbidden:
                self.client.transport.request("GET", f"/v1/types/{type}")
                log.info("type %s is used as the server has it", type)

    def announce(self, state: str = "working") -> bool:
        """Tells how the worker is; True: it was asked to finish its jobs and leave."""
        body = {
            "types": self.types,
            "host": socket.gethostname(),
            "pid": os.getpid(),
            "slots": self.concurrency,
            "state": state,
        }
        try:
            answer = self.client.transport.request("PUT", f"/v1/workers/{self.id}", body=body, retries=0)
        except PawlError as problem:
            log.debug("worker heartbeat failed: %s", problem)
            return False
        return isinstance(answer.body, dict) and answer.body.get("isDrainAsked") is True

    def look(self) -> bool:
        """Announces the worker when it is time to; True: it was asked to leave."""
        if time.monotonic() - self._announced_at < ANNOUNCE_EVERY:
            return False
        self._announced_at = time.monotonic()
        return self.announce()

    def take(self, free: int) -> List[Lease]:
        return self.client.claim(
            self.id, self.types, max=free, wait=self.claim_wait, queues=self.queues
        )


class Worker(WorkerBase):
    """Runs handlers in threads, ``concurrency`` at a time.

        worker = Worker(Client("http://127.0.0.1:8080"))

        @worker.job("greet")
        def greet(job: Job) -> str:
            return f"Hello, {job.input['name']}!"

        worker.run()
    """

    def __init__(self, client: Client, **options: Any) -> None:
        super().__init__(client, **options)
        self._handlers: Dict[str, Handler] = {}
        self._stopping = threading.Event()
        self._changed = threading.Condition()
        self._in_flight: Dict[str, Job] = {}
        self._thread: Optional[threading.Thread] = None

    def job(self, type: str, **definition: Any) -> Callable[[Handler], Handler]:
        """Registers a handler; ``definition`` has members of ``PUT /v1/types/{type}``."""

        def add(handler: Handler) -> Handler:
            self._define(type, definition)
            self._handlers[type] = handler
            return handler

        return add

    def start(self) -> "Worker":
        """Registers the types and works in the background."""
        if self._register:
            self.register_types()
        self._thread = threading.Thread(target=self._work, name="pawl-worker", daemon=True)
        self._thread.start()
        return self

    def run(self) -> None:
        """Works until ``request_stop`` or ``stop``, called by a signal handler or another thread."""
        self.start()
        self.join()

    def join(self) -> None:
        """Returns when the worker has ended; signals are handled meanwhile."""
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(0.5)

    def request_stop(self) -> None:
        """Claims nothing more; ``run`` returns when the jobs in flight have ended."""
        self._stopping.set()

    def stop(self, grace: Duration = 30.0) -> None:
        """Claims nothing more, waits for the jobs in flight and gives back those still running."""
        self.request_stop()
        until = time.monotonic() + seconds_of(grace)
        with self._changed:
            self._changed.wait_for(lambda: not self._in_flight, max(0.0, until - time.monotonic()))
            left = list(self._in_flight.values())
        for job in left:
            try:
                job.release("shutdown")
            except PawlError as problem:
                report_problem(job, problem)
        if self._thread is not None and not left:
            self._thread.join()

    def __enter__(self) -> "Worker":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _work(self) -> None:
        pool = ThreadPoolExecutor(self.concurrency, thread_name_prefix="pawl-handler")
        pause = 0.1
        while not self._stopping.is_set():
            with self._changed:
                self._changed.wait_for(lambda: len(self._in_flight) < self.concurrency, 0.5)
                free = self.concurrency - len(self._in_flight)
            if free == 0 or self._stopping.is_set():
                continue
            if self.look():
                self.request_stop()
                continue
            try:
                leases = self.take(free)
                pause = 0.1
            except PawlError as problem:
                log.warning("could not claim jobs, trying again: %s", problem)
                self._stopping.wait(pause)
                pause = min(CLAIM_PAUSE_MAX, pause * 2)
                continue
            for lease in leases:
                self._begin(pool, lease)
        pool.shutdown(wait=True)
        self.announce("stopped")

    def _begin(self, pool: ThreadPoolExecutor, lease: Lease) -> None:
        if self._stopping.is_set():
            lease.release("shutdown")
            return
        job = Job(lease)
        with self._changed:
            self._in_flight[job.id] = job
        pool.submit(self._attempt, job)

    def _attempt(self, job: Job) -> None:
        result: Any = None
        error: Optional[BaseException] = None
        try:
            job.begin()
            result = self._handlers[job.type](job)
        except BaseException as raised:
            error = raised
        try:
            word = settle(job, result, error)
            log.info("%s %s", word, job.id)
        except Exception as problem:
            report_problem(job, problem)
        finally:
            with self._changed:
                self._in_flight.pop(job.id, None)
                self._changed.notify_all()
