"""Requests to one platform, over the standard library's HTTP client."""

from __future__ import annotations

import http.client
import json
import random
import ssl
import threading
import time
import uuid
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Dict, List, Mapping, Optional, Union
from urllib.parse import urlencode, urlsplit

from .errors import OutcomeUnknown, error_of

Duration = Union[int, float, timedelta]
"""Seconds, or a timedelta."""

RETRIED = frozenset({408, 425, 429, 502, 503, 504})
BACKOFF_BASE = 0.1
BACKOFF_MAX = 5.0
RETRY_AFTER_MAX = 60.0


def seconds_of(duration: Duration) -> float:
    return duration.total_seconds() if isinstance(duration, timedelta) else float(duration)


def ms_of(duration: Duration) -> int:
    return round(seconds_of(duration) * 1000)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: Any


class Transport:
    """Thread-safe. A request whose outcome is unknown is sent again with the same idempotency key,
    so that it has its effect once: every route of the API is repeatable."""

    def __init__(
        self,
        url: str,
        *,
        token: Optional[str] = None,
        timeout: Duration = 30.0,
        retries: int = 4,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of a server: use http://host:port or https://…")
        self.url = url.rstrip("/")
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._base = parts.path.rstrip("/")
        self._token = token
        self._timeout = seconds_of(timeout)
        self._retries = retries
        self._context = context
        self._idle: List[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Optional[Mapping[str, Any]] = None,
        key: Optional[str] = None,
        wait: float = 0.0,
        retries: Optional[int] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Answer:
        """Answers with what the server said, or raises the PawlError that it stands for."""
        sent: Dict[str, str] = {"accept": "application/json", **(headers or {})}
        content: Optional[bytes] = None
        if body is not None:
            content = json.dumps(body, allow_nan=False, separators=(",", ":")).encode()
            sent["content-type"] = "application/json"
        if method == "POST":
            sent["idempotency-key"] = key or str(uuid.uuid4())
        if self._token:
            sent["authorization"] = f"Bearer {self._token}"
        left = self._retries if retries is None else retries
        target = self._target(path, query)
        for tries in range(left + 1):
            pause = random.random() * min(BACKOFF_MAX, BACKOFF_BASE * 2**tries)
            try:
                answer = self._send(method, target, content, sent, self._timeout + wait)
            except (OSError, http.client.HTTPException) as cause:
                if tries == left:
                    raise OutcomeUnknown(f"no answer from {self.url}: {cause}") from cause
                time.sleep(pause)
                continue
            if answer.status < 400:
                return answer
            problem = answer.body if isinstance(answer.body, dict) else {}
            retry_after = _retry_after(answer.headers)
            if answer.status not in RETRIED or tries == left:
                raise error_of(answer.status, problem, retry_after)
            time.sleep(retry_after or pause)
        raise AssertionError("unreachable")

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _target(self, path: str, query: Optional[Mapping[str, Any]]) -> str:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        return self._base + path + (f"?{urlencode(given)}" if given else "")

    def _open(self, timeout: float) -> http.client.HTTPConnection:
        if self._secure:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=timeout, context=self._context
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def _send(
        self,
        method: str,
        target: str,
        content: Optional[bytes],
        headers: Mapping[str, str],
        timeout: float,
    ) -> Answer:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is not None:
            try:
                return self._exchange(connection, method, target, content, headers, timeout)
            except (OSError, http.client.HTTPException):
                # The server may have closed it while it was idle: a new one tells whether it is there.
                connection.close()
        connection = self._open(timeout)
        try:
            return self._exchange(connection, method, target, content, headers, timeout)
        except BaseException:
            connection.close()
            raise

    def _exchange(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        content: Optional[bytes],
        headers: Mapping[str, str],
        timeout: float,
    ) -> Answer:
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        connection.request(method, target, content, dict(headers))
        response = connection.getresponse()
        data = response.read()
        found = {name.lower(): value for name, value in response.getheaders()}
        if response.will_close:
            connection.close()
        else:
            with self._lock:
                self._idle.append(connection)
        is_json = "json" in found.get("content-type", "")
        body = json.loads(data) if is_json and data else data.decode(errors="replace")
        return Answer(response.status, found, body)


def _retry_after(headers: Mapping[str, str]) -> float:
    try:
        return min(RETRY_AFTER_MAX, max(0.0, float(headers.get("retry-after", "0"))))
    except ValueError:
        return 0.0
