"""The client: enqueue jobs, follow them, and claim them."""

from __future__ import annotations

import ssl
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union
from urllib.parse import quote

from .errors import JobCancelled, JobFailed, WaitTimeout
from .lease import Lease
from .transport import Duration, Transport, ms_of, seconds_of

WAIT_MAX = 30.0
Snapshot = Dict[str, Any]
"""A job as ``GET /v1/jobs/{id}`` answers it."""


def job_path(job_id: str, verb: str = "") -> str:
    path = f"/v1/jobs/{quote(job_id, safe='')}"
    return f"{path}/{verb}" if verb else path


def new_job(
    type: str,
    input: Any = None,
    *,
    id: Optional[str] = None,
    delay: Optional[Duration] = None,
    run_at: Optional[datetime] = None,
    priority: Union[int, str, None] = None,
    queue: Optional[str] = None,
    max_attempts: Optional[int] = None,
    backoff: Optional[Mapping[str, Any]] = None,
    timeout: Optional[Duration] = None,
    deadline: Optional[Duration] = None,
    unique: Optional[Mapping[str, Any]] = None,
    limit_key: Optional[str] = None,
    document_id: Optional[str] = None,
    correlation_id: Optional[str] = None,
    parent_job_id: Optional[str] = None,
    metadata: Optional[Mapping[str, Any]] = None,
    hold: bool = False,
) -> Dict[str, Any]:
    """The body of a job: what is left out is left to its type."""
    members = {
        "type": type,
        "input": input,
        "id": id,
        "delayMs": None if delay is None else ms_of(delay),
        "runAt": None if run_at is None else _time_text(run_at),
        "priority": priority,
        "queue": queue,
        "maxAttempts": max_attempts,
        "backoff": backoff,
        "timeoutMs": None if timeout is None else ms_of(timeout),
        "deadlineMs": None if deadline is None else ms_of(deadline),
        "unique": unique,
        "limitKey": limit_key,
        "documentId": document_id,
        "correlationId": correlation_id,
        "parentJobId": parent_job_id,
        "metadata": metadata,
        "submit": False if hold else None,
    }
    return {name: value for name, value in members.items() if value is not None}


def _time_text(instant: datetime) -> str:
    if instant.tzinfo is None:
        raise ValueError("run_at needs a time zone: use datetime.now(timezone.utc)")
    text = instant.astimezone(timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")


@dataclass(frozen=True)
class JobHandle:
    """A job that was accepted, or is known by its id."""

    client: "Client"
    id: str
    is_new: bool = True
    """False: an earlier request with the same key, or the type's `unique`, had made it."""

    def snapshot(self, *, payloads: bool = False) -> Snapshot:
        return self.client.job_snapshot(self.id, payloads=payloads)

    def ended(self, timeout: Optional[Duration] = None) -> Snapshot:
        """Waits for the end, however the job ends."""
        return self.client.wait_for_end(self.id, timeout)

    def result(self, timeout: Optional[Duration] = None) -> Any:
        """Waits for the result; raises JobFailed or JobCancelled where there is none."""
        return self.client.result(self.id, timeout)

    def cancel(self, *, mode: str = "soft", reason: Optional[str] = None) -> Snapshot:
        return self.client.cancel(self.id, mode=mode, reason=reason)

    def send(self, name: str, payload: Any = None, *, key: Optional[str] = None) -> str:
        """Puts a message into the job's mailbox and gives its id."""
        return self.client.send(self.id, name, payload, key=key)

    def events(self) -> Iterator[Dict[str, Any]]:
        """What has happened so far, oldest first."""
        return self.client.events(self.id)

    def why(self) -> Dict[str, Any]:
        """Why the job is where it is."""
        return dict(self.client.transport.request("GET", job_path(self.id, "why")).body)


class Client:
    """Thread-safe. ``url`` is the server, ``token`` an API key or a token."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8080",
        *,
        token: Optional[str] = None,
        timeout: Duration = 30.0,
        retries: int = 4,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        self.transport = Transport(
            url, token=token, timeout=timeout, retries=retries, context=context
        )

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.transport.close()

    def put_type(self, type: str, definition: Mapping[str, Any]) -> Dict[str, Any]:
        """Registers a type, or changes the members that are given."""
        path = f"/v1/types/{quote(type, safe='')}"
        return dict(self.transport.request("PUT", path, body=dict(definition)).body)

    def enqueue(
        self, type: str, input: Any = None, *, key: Optional[str] = None, **options: Any
    ) -> JobHandle:
        """Accepts a job: durable when it returns. With ``key`` the same call within 24 h finds the
        job of the first time. The other options are those of ``new_job``."""
        body = new_job(type, input, **options)
        answer = self.transport.request("POST", "/v1/jobs", body=body, key=key)
        return JobHandle(self, answer.body["id"], answer.status == 202)

    def enqueue_many(
        self,
        jobs: Sequence[Mapping[str, Any]],
        *,
        key: Optional[str] = None,
        atomic: bool = False,
    ) -> List[Dict[str, Any]]:
        """One result a job of ``new_job``, in order: ``{status, job}`` or ``{status, error}``. With
        ``atomic`` there is a job for each, or the first refusal is raised."""
        body: Dict[str, Any] = {"jobs": [dict(job) for job in jobs]}
        if atomic:
            body["atomic"] = True
        answer = self.transport.request("POST", "/v1/jobs/batch", body=body, key=key)
        return list(answer.body["results"])

    def job(self, job_id: str) -> JobHandle:
        return JobHandle(self, job_id, False)

    def job_snapshot(self, job_id: str, *, payloads: bool = False) -> Snapshot:
        query = {"payloads": "true"} if payloads else None
        return dict(self.transport.request("GET", job_path(job_id), query=query).body)

    def wait_for_end(self, job_id: str, timeout: Optional[Duration] = None) -> Snapshot:
        until = None if timeout is None else time.monotonic() + seconds_of(timeout)
        while True:
            left = WAIT_MAX if until is None else min(WAIT_MAX, max(0.0, until - time.monotonic()))
            query = {"waitMs": round(left * 1000)}
            job = self.transport.request("GET", job_path(job_id), query=query, wait=left).body
            if job["completedAt"] is not None:
                return dict(job)
            if until is not None and time.monotonic() >= until:
                raise WaitTimeout(f"job {job_id} is {job['state']} and has not ended in time")

    def result(self, job_id: str, timeout: Optional[Duration] = None) -> Any:
        job = self.wait_for_end(job_id, timeout)
        if job["phase"] == "succeeded":
            return self.transport.request("GET", job_path(job_id, "result")).body
        if job["phase"] == "cancelled":
            raise JobCancelled(f"job {job_id} was cancelled", job)
        cause = (job["error"] or {}).get("message", "no error is kept")
        raise JobFailed(f"job {job_id} failed: {cause}", job)

    def cancel(
        self, job_id: str, *, mode: str = "soft", reason: Optional[str] = None
    ) -> Snapshot:
        body = {"mode": mode, **({} if reason is None else {"reason": reason})}
        return dict(self.transport.request("POST", job_path(job_id, "cancel"), body=body).body)

    def send(
        self, job_id: str, name: str, payload: Any = None, *, key: Optional[str] = None
    ) -> str:
        body = {"name": name, "payload": payload}
        if key is not None:
            body["key"] = key
        answer = self.transport.request("POST", job_path(job_id, "messages"), body=body)
        return str(answer.body["id"])

    def events(self, job_id: str) -> Iterator[Dict[str, Any]]:
        cursor: Optional[str] = None
        while True:
            query = {"cursor": cursor, "limit": 500}
            page = self.transport.request("GET", job_path(job_id, "events"), query=query).body
            yield from page["items"]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def claim(
        self,
        worker_id: str,
        types: Sequence[str],
        *,
        max: int = 1,
        wait: Duration = 0,
        queues: Optional[Sequence[str]] = None,
        key: Optional[str] = None,
    ) -> List[Lease]:
        """Takes due jobs. A worker does this by itself; with ``claim`` every report is your own."""
        body: Dict[str, Any] = {"workerId": worker_id, "types": list(types), "max": max}
        body["waitMs"] = ms_of(wait)
        if queues is not None:
            body["queues"] = list(queues)
        answer = self.transport.request(
            "POST", "/v1/claims", body=body, wait=seconds_of(wait), key=key
        )
        return [Lease(self.transport, worker_id, claim) for claim in answer.body["jobs"]]
