"""What schemathesis cannot know of this API, as checks of their own.

A request that fits the schema may be refused with 400 for a rule that JSON Schema has no keyword
for. Such rules are in the document too, as `x-rules`: every fault of such a refusal has to be one
of them. A batch answers each item for itself: one that does not fit is refused within a 200.
"""

import itertools
import os
import re

import schemathesis
from requests.adapters import HTTPAdapter
from urllib3.util import connection as sockets

_connect = sockets.create_connection
_hosts = itertools.cycle(range(2, 65_000))


def _connect_from_elsewhere(address, *args, **kwargs):
    """Each connection from an address of its own, as of as many callers.

    An address that sends wrong credentials is soon answered 429, by design. The check that
    wrong credentials are refused sends hundreds of them.
    """
    host = next(_hosts)
    kwargs["source_address"] = (f"127.1.{host // 256}.{host % 256}", 0)
    return _connect(address, *args, **kwargs)


sockets.create_connection = _connect_from_elsewhere

_send = HTTPAdapter.send


def _send_alone(self, request, *args, **kwargs):
    request.headers["Connection"] = "close"
    return _send(self, request, *args, **kwargs)


HTTPAdapter.send = _send_alone


def _pattern_of_pointer(pointer):
    parts = re.split(r"(\*\*|\*)", pointer)
    named = {"**": r"(?:.*)", "*": r"[^/]*"}
    return re.compile("".join(named.get(part, re.escape(part)) for part in parts) + r"\Z", re.S)


def _pattern_of_rule(rule):
    return re.compile(".*".join(re.escape(part) for part in rule.split("…")) + r"\Z", re.S)


def _is_stated(fault, rules):
    return any(
        _pattern_of_pointer(rule["pointer"]).match(fault["pointer"])
        and _pattern_of_rule(rule["rule"]).match(fault["message"])
        for rule in rules
    )


def _is_valid(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.check
def refusals_are_stated(ctx, response, case):
    """A refusal of what fits the schema names a rule of the document."""
    if not _is_valid(case) or response.status_code != 400:
        return
    operation = case.operation
    rules = [
        *operation.schema.raw_schema.get("x-rules", []),
        *operation.definition.raw.get("x-rules", []),
    ]
    faults = response.json().get("errors", [])
    unstated = [fault for fault in faults if not _is_stated(fault, rules)]
    if unstated or not faults:
        raise AssertionError(f"{operation.label} refuses by no rule of the document: {unstated}")


@schemathesis.check
def bad_items_are_refused(ctx, response, case):
    """What does not fit the schema of a batch is refused whole, or as an item of it."""
    if case.operation.label != "POST /v1/jobs/batch" or _is_valid(case):
        return
    if response.status_code != 200:
        return
    results = response.json()["results"]
    if all(item["status"] < 400 for item in results):
        raise AssertionError("the batch has an item that does not fit, and none was refused")


@schemathesis.hook
def filter_case(context, case):
    """The run would end its own credential: every answer after that would be 401."""
    own = os.environ.get("PAWL_OWN_KEY_ID")
    return own is None or (case.path_parameters or {}).get("id") != own


@schemathesis.hook
def before_call(context, case, kwargs):
    """A claim that may wait for a minute does; a second shows the same."""
    body = case.body
    if case.operation.label != "POST /v1/claims" or not isinstance(body, dict):
        return
    wait = body.get("waitMs")
    if type(wait) is int and 1_000 < wait <= 60_000:
        body["waitMs"] = 1_000
