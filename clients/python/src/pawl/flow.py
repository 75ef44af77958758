"""Waiting for jobs, messages and time: what a wait asks for, and what its value means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

from .errors import ChildrenFailed
from .lease import Lease
from .transport import Duration, ms_of

ONLY_KEY = "1"
"""The key of the only child of a wait, the same in every client."""

NOT_TAKEN = object()
"""A message that was set aside: the wait goes on."""


class Wait:
    """Something to wait for under a name."""

    name: str

    def request(self) -> Dict[str, Any]:
        raise NotImplementedError

    def prepare(self, lease: Lease) -> None:
        """Makes what is waited for, where that is needed."""

    def read(self, lease: Lease, value: Mapping[str, Any]) -> Any:
        raise NotImplementedError


@dataclass
class Sleep(Wait):
    """A time that passes, from the first time that the name is met."""

    name: str
    delay: Duration

    def request(self) -> Dict[str, Any]:
        return {"name": self.name, "kind": "time", "delayMs": ms_of(self.delay)}

    def read(self, lease: Lease, value: Mapping[str, Any]) -> None:
        return None


@dataclass
class Receive(Wait):
    """The oldest message of a name. One that ``check`` raises ValueError for is set aside."""

    name: str
    message: Optional[str] = None
    schema: Optional[Mapping[str, Any]] = None
    check: Optional[Callable[[Any], Any]] = None

    def request(self) -> Dict[str, Any]:
        asked: Dict[str, Any] = {"name": self.name, "kind": "message"}
        if self.message is not None:
            asked["message"] = self.message
        if self.schema is not None:
            asked["schema"] = dict(self.schema)
        return asked

    def read(self, lease: Lease, value: Mapping[str, Any]) -> Any:
        payload = value["payload"]
        if self.check is None:
            return payload
        try:
            return self.check(payload)
        except ValueError as fault:
            lease.set_aside(value["id"], str(fault) or repr(fault))
            return NOT_TAKEN


@dataclass
class Children:
    """The children of a wait that have all ended; with ``collect`` some may have failed."""

    counts: Mapping[str, int]
    _first: List[Dict[str, Any]]
    _is_all: bool
    _lease: Lease
    _wait: str

    def results(self) -> Iterator[Dict[str, Any]]:
        """``{key, id, ok, result | error}`` of each, in the order of the items."""
        if self._is_all:
            yield from self._first
        else:
            yield from self._lease.child_results(self._wait)

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        return self.results()


@dataclass
class CallAll(Wait):
    """A job for each input, by its key."""

    name: str
    type: str
    inputs: Mapping[str, Any]
    on_failure: str = "throw"
    on_parent_end: Optional[str] = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def request(self) -> Dict[str, Any]:
        return {"name": self.name, "kind": "children"}

    def spawn(self, lease: Lease) -> List[str]:
        items = [
            {"key": key, "type": self.type, "input": value, **self.options}
            for key, value in self.inputs.items()
        ]
        return lease.spawn(
            self.name, items, on_failure=self.on_failure, on_parent_end=self.on_parent_end
        )

    def prepare(self, lease: Lease) -> None:
        self.spawn(lease)

    def read(self, lease: Lease, value: Mapping[str, Any]) -> Any:
        children = Children(value["counts"], value["results"], value["isAll"], lease, self.name)
        if self.on_failure != "collect" and children.counts["failed"] > 0:
            failed = [one for one in children if not one["ok"]]
            raise ChildrenFailed(self.name, children.counts, failed[:10])
        return children


@dataclass
class Call(CallAll):
    """One job. Its value is its result, or ``{ok, result | error}`` with ``collect``."""

    inputs: Mapping[str, Any] = field(default_factory=dict)

    def read(self, lease: Lease, value: Mapping[str, Any]) -> Any:
        (child,) = super().read(lease, value)
        return child if self.on_failure == "collect" else child.get("result")


@dataclass
class Spawned(Wait):
    """A job that was started; waited for later, or never."""

    id: str
    call: Call
    name: str = ""

    def __post_init__(self) -> None:
        self.name = self.call.name

    def request(self) -> Dict[str, Any]:
        return self.call.request()

    def read(self, lease: Lease, value: Mapping[str, Any]) -> Any:
        return self.call.read(lease, value)


@dataclass
class First(Wait):
    """The one of several waits that is decided first: ``(key, value)``."""

    name: str
    waits: Mapping[str, Wait]
    on_lose: str = "cancel"

    def request(self) -> Dict[str, Any]:
        members = [{"key": key, "wait": wait.request()} for key, wait in self.waits.items()]
        return {"name": self.name, "kind": "first", "members": members, "onLose": self.on_lose}

    def prepare(self, lease: Lease) -> None:
        for wait in self.waits.values():
            wait.prepare(lease)

    def read(self, lease: Lease, value: Mapping[str, Any]) -> Any:
        which = value["which"]
        read = self.waits[which].read(lease, value["value"])
        return NOT_TAKEN if read is NOT_TAKEN else (which, read)
