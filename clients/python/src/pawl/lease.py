"""One claim: what its owner may report, each with the claim's epoch and token."""

from __future__ import annotations

import traceback
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence
from urllib.parse import quote

from .errors import PermanentError
from .transport import Duration, Transport, ms_of

CAUSES_MAX = 8


def failure_of(error: BaseException) -> Dict[str, Any]:
    """An exception as ``fail`` takes it: class and bases, message, stack and causes."""
    given = error if isinstance(error, PermanentError) else None
    classes = [one.__name__ for one in type(error).__mro__ if one not in (BaseException, object)]
    failure: Dict[str, Any] = {
        "class": (given.error_class if given else None) or type(error).__name__,
        "message": str(error) or repr(error),
        "classes": classes,
        "stack": "".join(traceback.format_exception(type(error), error, error.__traceback__)),
    }
    if given is not None:
        failure["retryable"] = given.retryable
        if given.code is not None:
            failure["code"] = given.code
        if given.details is not None:
            failure["details"] = given.details
    causes: List[Dict[str, Any]] = []
    cause = error.__cause__ or error.__context__
    while cause is not None and len(causes) < CAUSES_MAX:
        causes.append({"class": type(cause).__name__, "message": str(cause) or repr(cause)})
        cause = cause.__cause__ or cause.__context__
    if causes:
        failure["causes"] = causes
    return failure


class Lease:
    """A job that this worker owns until the lease expires. Reports can be sent again: an answer that
    was lost is asked for with the same key. A report of an owner that lost its lease: LeaseLost."""

    def __init__(self, transport: Transport, worker_id: str, claim: Mapping[str, Any]) -> None:
        self._transport = transport
        self.worker_id = worker_id
        self.job: Mapping[str, Any] = claim["job"]
        self.id: str = self.job["id"]
        self.type: str = self.job["type"]
        self.epoch: int = claim["epoch"]
        self.token: str = claim["token"]
        self.attempt: int = claim["attempt"]
        self.checkpoint: Any = claim["checkpoint"]
        self.stages: Dict[str, Any] = dict(claim["stages"])
        self.timeout_ms: Optional[int] = claim["timeoutMs"]
        self.on_timeout: str = claim["onTimeout"]
        self.idempotency_key: str = claim["idempotencyKey"]
        self.renew_in: float = claim["lease"]["renewInMs"] / 1000
        self.expires_in: float = claim["lease"]["expiresInMs"] / 1000
        self._input: Any = claim["input"]

    @property
    def input(self) -> Any:
        """What the job was given; one that the server keeps aside because of its size is read now."""
        if _is_reference(self._input):
            self._input = self._transport.request("GET", f"/v1/jobs/{self.id}/input").body
        return self._input

    def start(self) -> None:
        """Begins the job, for lifecycles that tell leased from running."""
        self._post("start")

    def heartbeat(
        self,
        *,
        stage: Optional[str] = None,
        progress: Optional[float] = None,
        message: Optional[str] = None,
        checkpoint: Any = None,
        log: Optional[Sequence[Any]] = None,
        tokens: Optional[str] = None,
        retries: Optional[int] = None,
    ) -> Dict[str, Any]:
        """Renews the lease; answers ``{lease, progress, cancel}``."""
        news = {
            "stage": stage,
            "progress": progress,
            "message": message,
            "checkpoint": checkpoint,
            "log": list(log) if log else None,
            "tokens": tokens,
        }
        body = {name: value for name, value in news.items() if value is not None}
        return dict(self._post("heartbeat", body, retries=retries))

    def keep_stage(self, name: str, result: Any) -> Dict[str, Any]:
        """Keeps a stage's result: later attempts find it in ``stages``."""
        answer = self._post(f"stages/{quote(name, safe='')}", {"result": result})
        self.stages[name] = result
        return dict(answer)

    def complete(self, result: Any = None) -> Dict[str, Any]:
        return dict(self._post("complete", {"result": result}))

    def fail(self, error: Mapping[str, Any], dead_letter: Optional[str] = None) -> Dict[str, Any]:
        """``error`` has at least ``class`` and ``message``; ``failure_of`` makes one."""
        more = {} if dead_letter is None else {"deadLetter": dead_letter}
        return dict(self._post("fail", {"error": dict(error), **more}))

    def snooze(self, delay: Duration, checkpoint: Any = None) -> Dict[str, Any]:
        body = {"delayMs": ms_of(delay)}
        return dict(self._post("snooze", body if checkpoint is None else {**body, "checkpoint": checkpoint}))

    def release(self, cause: Optional[str] = None) -> Dict[str, Any]:
        return dict(self._post("release", {} if cause is None else {"cause": cause}))

    def cancelled(self, checkpoint: Any = None) -> Dict[str, Any]:
        body = {} if checkpoint is None else {"checkpoint": checkpoint}
        return dict(self._post("cancelled", body))

    def spawn(
        self,
        wait: str,
        items: Sequence[Mapping[str, Any]],
        *,
        on_failure: str = "throw",
        on_parent_end: Optional[str] = None,
    ) -> List[str]:
        """Starts jobs of one type under the name of a wait, each with a key; gives their ids."""
        more = {} if on_parent_end is None else {"onParentEnd": on_parent_end}
        ids: List[str] = []
        for offset in range(0, max(1, len(items)), SPAWN_MAX):
            part = {
                "wait": wait,
                "onFailure": on_failure,
                **more,
                "items": [dict(item) for item in items[offset : offset + SPAWN_MAX]],
                "offset": offset,
                "isLast": offset + SPAWN_MAX >= len(items),
            }
            ids.extend(self._post("children", part)["ids"])
        return ids

    def await_waits(
        self, waits: Sequence[Mapping[str, Any]], *, suspend: bool = True
    ) -> Dict[str, Any]:
        """Says what is decided of the waits; if nothing is, the turn is over (``suspended``)."""
        return dict(self._post("await", {"waits": list(waits), "suspend": suspend}))

    def child_results(self, wait: str) -> Iterator[Dict[str, Any]]:
        """How the children of a wait ended, page by page, in the order of the items."""
        after: Optional[str] = None
        while True:
            page = self._post(f"waits/{quote(wait, safe='')}/results", {"after": after})
            yield from page["results"]
            after = page["next"]
            if after is None:
                return

    def set_aside(self, message_id: str, reason: str) -> None:
        """Refuses a message that a wait has taken: the wait takes the next one."""
        self._post(f"messages/{quote(message_id, safe='')}/aside", {"reason": reason})

    def message_link(
        self, name: str, *, value: Any = None, ttl: Optional[Duration] = None
    ) -> str:
        """A signed address by which whoever has it sends one message of this name."""
        body: Dict[str, Any] = {"name": name}
        if value is not None:
            body["value"] = value
        if ttl is not None:
            body["ttlMs"] = ms_of(ttl)
        return str(self._post("links", body)["url"])

    def _post(
        self, verb: str, body: Optional[Mapping[str, Any]] = None, retries: Optional[int] = None
    ) -> Any:
        owner = {"workerId": self.worker_id, "epoch": self.epoch, "token": self.token}
        held = {**owner, **(body or {})}
        path = f"/v1/jobs/{self.id}/{verb}"
        return self._transport.request("POST", path, body=held, retries=retries).body


SPAWN_MAX = 1_000


def _is_reference(value: Any) -> bool:
    return isinstance(value, dict) and list(value) == ["$artifact"]
