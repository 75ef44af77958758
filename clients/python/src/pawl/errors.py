"""What can go wrong: refusals by the code of the problem, ends of jobs, and what handlers raise."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Type


class PawlError(Exception):
    """The server refused a request. ``code`` is stable; subclasses exist for every code."""

    code = "INTERNAL_ERROR"

    def __init__(
        self,
        detail: str,
        *,
        status: int = 0,
        problem: Optional[Mapping[str, Any]] = None,
        retry_after: float = 0.0,
    ) -> None:
        self.problem: Dict[str, Any] = dict(problem or {})
        self.code = str(self.problem.get("code") or type(self).code)
        self.status = status
        self.detail = detail
        self.hint = str(self.problem.get("hint") or "")
        self.faults: List[Dict[str, Any]] = list(self.problem.get("errors") or [])
        self.retry_after = retry_after
        pointers = "; ".join(f"{fault['pointer'] or '/'}: {fault['message']}" for fault in self.faults)
        told = [f"{self.code}: {detail}", pointers, self.hint]
        super().__init__(" ".join(part for part in told if part))


class ValidationFailed(PawlError):
    code = "VALIDATION_ERROR"


class Unauthenticated(PawlError):
    code = "UNAUTHENTICATED"


class Forbidden(PawlError):
    code = "FORBIDDEN"


class LinkInvalid(PawlError):
    code = "LINK_INVALID"


class LinkExpired(PawlError):
    code = "LINK_EXPIRED"


class LinkUsed(PawlError):
    code = "LINK_USED"


class QuotaExceeded(PawlError):
    code = "QUOTA_EXCEEDED"


class NotFound(PawlError):
    code = "NOT_FOUND"


class UnknownType(PawlError):
    code = "UNKNOWN_TYPE"


class IdempotencyConflict(PawlError):
    code = "IDEMPOTENCY_CONFLICT"


class AlreadyExists(PawlError):
    code = "ALREADY_EXISTS"


class ConcurrencyConflict(PawlError):
    code = "CONCURRENCY_CONFLICT"


class LeaseLost(PawlError):
    """The job is no longer this worker's: stop, and report nothing."""

    code = "LEASE_LOST"


class IllegalTransition(PawlError):
    code = "ILLEGAL_TRANSITION"


class PreconditionFailed(PawlError):
    code = "PRECONDITION_FAILED"


class NotFinished(PawlError):
    code = "NOT_FINISHED"


class WaitChanged(PawlError):
    code = "WAIT_CHANGED"


class LimitExceeded(PawlError):
    code = "LIMIT_EXCEEDED"


class NoResult(PawlError):
    code = "NO_RESULT"


class RequestTimeout(PawlError):
    code = "REQUEST_TIMEOUT"


class CursorReset(PawlError):
    code = "CURSOR_RESET"


class PayloadTooLarge(PawlError):
    code = "PAYLOAD_TOO_LARGE"


class ExpectationFailed(PawlError):
    code = "EXPECTATION_FAILED"


class HeadersTooLarge(PawlError):
    code = "HEADERS_TOO_LARGE"


class RangeNotSatisfiable(PawlError):
    code = "RANGE_NOT_SATISFIABLE"


class StorageFull(PawlError):
    code = "STORAGE_FULL"


class UnsupportedMediaType(PawlError):
    code = "UNSUPPORTED_MEDIA_TYPE"


class MethodNotAllowed(PawlError):
    code = "METHOD_NOT_ALLOWED"


class MethodNotImplemented(PawlError):
    code = "METHOD_NOT_IMPLEMENTED"


class RateLimited(PawlError):
    code = "RATE_LIMITED"


class NotConfigured(PawlError):
    code = "NOT_CONFIGURED"


class InternalError(PawlError):
    code = "INTERNAL_ERROR"


class UpstreamError(PawlError):
    code = "UPSTREAM_ERROR"


class ServerBusy(PawlError):
    code = "SERVER_BUSY"


class QueueOverloaded(PawlError):
    code = "QUEUE_OVERLOADED"


class StoreUnavailable(PawlError):
    code = "STORE_UNAVAILABLE"


class StoreNotWritable(PawlError):
    code = "STORE_NOT_WRITABLE"


class OutcomeUnknown(PawlError):
    """No answer came, or the server could not tell. The same request with the same key is safe."""

    code = "OUTCOME_UNKNOWN"


ERRORS_BY_CODE: Dict[str, Type[PawlError]] = {one.code: one for one in PawlError.__subclasses__()}


def error_of(status: int, problem: Mapping[str, Any], retry_after: float = 0.0) -> PawlError:
    """The error that a problem (RFC 9457) stands for; PawlError itself for a code of a newer server."""
    kind = ERRORS_BY_CODE.get(str(problem.get("code")), PawlError)
    detail = str(problem.get("detail") or f"the server answered with {status}")
    return kind(detail, status=status, problem=problem, retry_after=retry_after)


class JobEnded(Exception):
    """A job whose result was asked for ended without one."""

    def __init__(self, message: str, snapshot: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.snapshot = snapshot
        self.error: Optional[Mapping[str, Any]] = snapshot.get("error")


class JobFailed(JobEnded):
    """It failed, or went to the dead letters; ``error`` says why."""


class JobCancelled(JobEnded):
    """It was cancelled."""


class WaitTimeout(Exception):
    """The job had not ended after the time that the caller was willing to wait."""


class PermanentError(Exception):
    """Raised by a handler: the attempt failed, and another would fail too."""

    retryable: Optional[bool] = False

    def __init__(
        self,
        message: str,
        *,
        error_class: Optional[str] = None,
        code: Optional[str] = None,
        details: Any = None,
    ) -> None:
        super().__init__(message)
        self.error_class = error_class
        self.code = code
        self.details = details


class TransientError(PermanentError):
    """Raised by a handler: the attempt failed, and another may succeed."""

    retryable = True


class ChildrenFailed(PermanentError):
    """Children of a wait did not succeed; to try the parent again would find the same ends."""

    def __init__(
        self, name: str, counts: Mapping[str, int], failed: Sequence[Mapping[str, Any]]
    ) -> None:
        first = failed[0].get("error") if failed else None
        cause = f": {first['message']}" if first else ""
        super().__init__(f"{counts['failed']} of {counts['total']} jobs of \"{name}\" failed{cause}")
        self.counts = dict(counts)
        self.failed = list(failed)


class Stop(BaseException):
    """Ends a handler's turn. Not an Exception, so that ``except Exception`` does not swallow it."""


class Cancelled(Stop):
    """Somebody asked for the job to be cancelled; the worker reports that it was."""

    def __init__(self, reason: Optional[str] = None) -> None:
        super().__init__(reason or "the job was cancelled")
        self.reason = reason


class Suspended(Stop):
    """The turn is over: the job comes back, from the top, when what it waits for is there."""


class Snoozed(Stop):
    """The job comes back after a time, without an attempt spent."""

    def __init__(self, delay_ms: int, checkpoint: Any) -> None:
        super().__init__(f"snoozed for {delay_ms} ms")
        self.delay_ms = delay_ms
        self.checkpoint = checkpoint


class Ended(Stop):
    """The job is no longer this worker's, or its end was reported already: nothing is reported."""
