"""What a handler is given: its input, and the words with which it works."""

from __future__ import annotations

import json
import threading
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, TypeVar

from .errors import Cancelled, Ended, LeaseLost, NotFound, PawlError, Snoozed, Suspended
from .flow import NOT_TAKEN, ONLY_KEY, Call, CallAll, Children, First, Receive, Sleep, Spawned, Wait
from .lease import Lease
from .transport import Duration, ms_of

Value = TypeVar("Value")
LINES_MAX = 256


class Job:
    """One turn of a job. A thread of its own keeps the lease alive: the handler may block.

    The words that talk to the server (``stage``, ``checkpoint``, ``check``, waits) raise Cancelled
    when somebody cancelled the job and Ended when it is another worker's by now. Neither is an
    Exception: let them pass.
    """

    def __init__(self, lease: Lease, *, on_stop: Optional[Callable[[], None]] = None) -> None:
        self.lease = lease
        self.id = lease.id
        self.type = lease.type
        self.attempt = lease.attempt
        self.idempotency_key = lease.idempotency_key
        """The same in every attempt: for effects elsewhere."""
        self._checkpoint: Any = lease.checkpoint
        self._kept_newer = False
        self._on_stop = on_stop
        self._news: Dict[str, Any] = {}
        self._lines: List[Dict[str, str]] = []
        self._lines_dropped = 0
        self._names: set[str] = set()
        self._lock = threading.Lock()
        self._beating = threading.Lock()
        self._over = threading.Event()
        self._stop: Optional[BaseException] = None
        self._cancel: Optional[Mapping[str, Any]] = None
        now = time.monotonic()
        self._expires_at = now + lease.expires_in
        self._renew_at = now + self._renew_after(lease.renew_in, lease.expires_in)
        self._times_out_at = None if lease.timeout_ms is None else now + _time_to_report(lease)
        self._thread = threading.Thread(target=self._keep, name=f"pawl-{lease.id}", daemon=True)

    @property
    def input(self) -> Any:
        return self.lease.input

    @property
    def last_checkpoint(self) -> Any:
        """What was kept last, in this attempt or an earlier one; None at first."""
        return self._checkpoint

    @property
    def cancel_reason(self) -> Optional[str]:
        return None if self._cancel is None else self._cancel.get("reason")

    @property
    def is_stopping(self) -> bool:
        """Whether the handler should stop, for loops that ask rather than catch."""
        return self._stop is not None

    @property
    def stop_reason(self) -> Optional[BaseException]:
        return self._stop

    def check(self) -> None:
        """Raises what ends the turn, if something does."""
        if self._stop is not None:
            raise self._stop

    def progress(self, percent: float, message: Optional[str] = None) -> None:
        """Goes with the next heartbeat; a later one replaces it."""
        with self._lock:
            self._news["progress"] = percent
            if message is not None:
                self._news["message"] = message
        self.check()

    def log(self, line: str, level: str = "info") -> None:
        """A line for the job's history; goes with the next heartbeat."""
        with self._lock:
            if len(self._lines) < LINES_MAX:
                self._lines.append({"line": line, "level": level})
            else:
                self._lines_dropped += 1

    def checkpoint(self, value: Any) -> None:
        """Kept when it returns: a later attempt goes on from ``last_checkpoint``."""
        self.check()
        self._beat({"checkpoint": value})
        self._checkpoint = value
        self._kept_newer = True
        self.check()

    def stage(self, name: str, work: Callable[[], Value]) -> Value:
        """Runs a part of the job once: later attempts get the result that was kept."""
        if name in self.lease.stages:
            self.check()
            kept: Value = self.lease.stages[name]
            return kept
        self.begin_stage(name)
        return self.keep_stage(name, work())

    def begin_stage(self, name: str) -> None:
        self.check()
        with self._lock:
            self._news["stage"] = name

    def keep_stage(self, name: str, result: Value) -> Value:
        self.check()
        kept: Value = json.loads(json.dumps(result, allow_nan=False))
        answer = self._owned(lambda: self.lease.keep_stage(name, kept))
        self._hear(answer)
        return kept

    def snooze(self, delay: Duration, checkpoint: Any = None) -> None:
        """Ends the turn: the job comes back after the time, without an attempt spent."""
        raise Snoozed(ms_of(delay), self._checkpoint if checkpoint is None else checkpoint)

    def call(self, name: str, type: str, input: Any = None, **options: Any) -> Any:
        """Runs a job and gives its result. ``on_failure``: throw (default), collect or hold;
        ``on_parent_end``: cancel (default) or abandon; other options are those of a child."""
        return self.wait(self._call(name, type, input, options))

    def call_all(
        self, name: str, type: str, inputs: Mapping[str, Any], **options: Any
    ) -> Children:
        """Runs a job for each input, by its key, and waits until all have ended."""
        children: Children = self.wait(CallAll(name, type, inputs, **_modes(options)))
        return children

    def spawn(self, name: str, type: str, input: Any = None, **options: Any) -> Spawned:
        """Starts a job and goes on; ``wait`` of what it gives waits for the result."""
        self.check()
        self._claim_name(name)
        call = self._call(name, type, input, options)
        (job_id,) = self._owned(lambda: call.spawn(self.lease))
        return Spawned(job_id, call)

    def sleep(self, name: str, delay: Duration) -> None:
        self.wait(Sleep(name, delay))

    def receive(
        self,
        name: str,
        *,
        message: Optional[str] = None,
        schema: Optional[Mapping[str, Any]] = None,
        check: Optional[Callable[[Any], Any]] = None,
    ) -> Any:
        """The oldest message of the name, which may have come long before."""
        return self.wait(Receive(name, message, schema, check))

    def first(self, name: str, waits: Mapping[str, Wait], *, on_lose: str = "cancel") -> Tuple[str, Any]:
        """Waits for the first of several waits: ``(key, value)``."""
        for wait in waits.values():
            if not isinstance(wait, Spawned):
                self._claim_name(wait.name)
        found: Tuple[str, Any] = self.wait(First(name, waits, on_lose))
        return found

    def wait(self, wait: Wait) -> Any:
        """Gives the value of a wait, or ends the turn by raising Suspended: the handler is then run
        again, from the top, when it is decided."""
        self.check()
        if not isinstance(wait, Spawned):
            self._claim_name(wait.name)
        self._flush()
        self._owned(lambda: wait.prepare(self.lease))
        while True:
            answer = self._owned(lambda: self.lease.await_waits([wait.request()]))
            if answer["suspended"]:
                self._end(Suspended(f"waits for {wait.name}"))
                self.check()
            (state,) = answer["waits"]
            value = self._owned(lambda: wait.read(self.lease, state["value"]))
            if value is not NOT_TAKEN:
                return value

    def message_link(self, name: str, *, value: Any = None, ttl: Optional[Duration] = None) -> str:
        self.check()
        return self._owned(lambda: self.lease.message_link(name, value=value, ttl=ttl))

    # What follows is the worker's.

    def begin(self) -> None:
        if self.lease.job["phase"] == "leased":
            self._owned(self.lease.start)
        self._thread.start()

    def close(self, *, flush: bool) -> None:
        """Stops the heartbeats; what was not sent yet goes with a last one."""
        self._over.set()
        if self._thread.is_alive() and threading.current_thread() is not self._thread:
            self._thread.join()
        if flush:
            self._flush()

    def release(self, cause: str) -> None:
        """Gives the job back while its handler still runs: it finds that out at its next word."""
        self._end(Ended(cause))
        self.close(flush=False)
        self.lease.release(cause)

    def _call(self, name: str, type: str, input: Any, options: Dict[str, Any]) -> Call:
        modes = _modes(options)
        return Call(name, type, inputs={ONLY_KEY: input}, **modes)

    def _claim_name(self, name: str) -> None:
        if name in self._names:
            raise ValueError(
                f"there are two waits named {name!r} in one turn: give each a name of its own, "
                "in a loop one with the number of the round"
            )
        self._names.add(name)

    def _owned(self, ask: Callable[[], Value]) -> Value:
        try:
            return ask()
        except (LeaseLost, NotFound) as lost:
            self._end(Ended(str(lost)))
            assert self._stop is not None
            raise self._stop from lost

    def _end(self, stop: BaseException) -> None:
        with self._lock:
            if self._stop is not None and not isinstance(self._stop, Cancelled):
                return
            self._stop = stop
        if self._on_stop is not None:
            self._on_stop()

    def _hear(self, answer: Mapping[str, Any]) -> None:
        lease = answer["lease"]
        now = time.monotonic()
        self._expires_at = now + lease["expiresInMs"] / 1000
        self._renew_at = now + self._renew_after(
            lease["renewInMs"] / 1000, lease["expiresInMs"] / 1000
        )
        if answer["cancel"] is not None and self._cancel is None:
            self._cancel = answer["cancel"]
            self._end(Cancelled(answer["cancel"].get("reason")))

    def _renew_after(self, renew_in: float, expires_in: float) -> float:
        """A lease ends with the attempt's time limit: close to that nothing can be gained."""
        return min(renew_in, max(expires_in / 2, self.lease.renew_in / 4))

    def _flush(self) -> None:
        if self._news or self._lines:
            self._beat({})

    def _beat(self, more: Mapping[str, Any], retries: Optional[int] = None) -> None:
        """Sends a heartbeat with the news; what could not be sent goes with the next one."""
        with self._beating:
            with self._lock:
                news, self._news = self._news, {}
                lines, self._lines = self._lines, []
                if self._lines_dropped:
                    text = f"{self._lines_dropped} lines were left out"
                    lines = [*lines, {"line": text, "level": "warn"}]
                    self._lines_dropped = 0
            body = {**news, **more, **({"log": lines} if lines else {})}
            try:
                self._hear(self._owned(lambda: self.lease.heartbeat(**body, retries=retries)))
            except PawlError:
                with self._lock:
                    self._news = {**news, **self._news}
                    self._lines = [*lines[:LINES_MAX], *self._lines][: LINES_MAX]
                raise

    def _keep(self) -> None:
        """Heartbeats. All durations are the server's, so that no clocks are compared."""
        while not self._over.wait(self._next_look()):
            now = time.monotonic()
            if self._times_out_at is not None and now >= self._times_out_at:
                self._time_out()
                return
            if now < self._renew_at:
                continue
            try:
                self._beat({}, retries=0)
            except Ended:
                return
            except PawlError:
                # Not reached: asked again soon, until the lease is over by any clock.
                self._renew_at = now + max(0.05, (self._expires_at - now) / 4)
                if now >= self._expires_at:
                    self._end(Ended("the lease was not renewed in time"))
                    return

    def _next_look(self) -> float:
        until = self._renew_at
        if self._times_out_at is not None:
            until = min(until, self._times_out_at)
        return max(0.0, until - time.monotonic())

    def _time_out(self) -> None:
        """A thread cannot be ended, so the attempt is: what its handler does later counts no more."""
        self._end(Ended(f"the attempt took longer than {self.lease.timeout_ms} ms"))
        try:
            if self.lease.on_timeout == "resume" and self._kept_newer:
                self.lease.release("timeout")
            else:
                message = f"the attempt took longer than {self.lease.timeout_ms} ms"
                self.lease.fail({"class": "timeout", "message": message})
        except PawlError:
            return


REPORT_SECONDS_MAX = 2


def _time_to_report(lease: Lease) -> float:
    """The lease ends with the time limit, so the attempt is ended a little earlier."""
    limit = (lease.timeout_ms or 0) / 1000
    return limit - min(REPORT_SECONDS_MAX, limit / 10)


def _modes(options: Dict[str, Any]) -> Dict[str, Any]:
    """What concerns the wait, and what concerns the child."""
    modes: Dict[str, Any] = {name: options[name] for name in ("on_failure", "on_parent_end") if name in options}
    names = {"queue": "queue", "priority": "priority", "limit_key": "limitKey"}
    names.update({"document_id": "documentId", "metadata": "metadata"})
    child: Dict[str, Any] = {}
    for name, value in options.items():
        if name in modes:
            continue
        if name == "delay":
            child["delayMs"] = ms_of(value)
        elif name in names:
            child[names[name]] = value
        else:
            raise TypeError(f"a call has no option {name!r}")
    return {**modes, "options": child}
