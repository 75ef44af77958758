"""The driver with which this client runs the conformance scenarios: see ../README.md.

    npm run clients:conformance -- python3 clients/python/conformance.py
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Dict, Optional

sys.path.insert(0, str(Path(__file__).parent / "src"))

import pawl  # noqa: E402

client = pawl.Client(os.environ["PAWL_URL"], token=os.environ.get("PAWL_KEY"))
leases: Dict[str, pawl.Lease] = {}
worker: Optional[pawl.Worker] = None
stage_runs: Dict[str, int] = {}


def echo(job: pawl.Job) -> Any:
    return job.input


def fail(job: pawl.Job) -> Any:
    raise pawl.PermanentError(job.input["message"], error_class="TooBig")


def retry(job: pawl.Job) -> Any:
    if job.attempt == 1:
        raise pawl.TransientError("not yet")
    return {"attempt": job.attempt}


def stages(job: pawl.Job) -> Any:
    def count() -> int:
        stage_runs[job.id] = stage_runs.get(job.id, 0) + 1
        return stage_runs[job.id]

    counted = job.stage("count", count)
    if job.attempt == 1:
        raise pawl.TransientError("after the stage")
    return {"count": counted, "runs": stage_runs[job.id], "attempt": job.attempt}


def checkpoint(job: pawl.Job) -> Any:
    begun_at = job.last_checkpoint or 0
    for number in range(begun_at + 1, 5):
        job.checkpoint(number)
        if job.attempt == 1 and number == 2:
            raise pawl.TransientError("after two")
    return {"from": begun_at, "attempt": job.attempt}


def wait(job: pawl.Job) -> Any:
    job.progress(10, "waiting")
    job.log("the job waits to be cancelled", "warn")
    while True:
        job.check()
        threading.Event().wait(0.02)


def snooze(job: pawl.Job) -> Any:
    if job.last_checkpoint is None:
        job.snooze(0.01, {"slept": True})
    return {"attempt": job.attempt, **job.last_checkpoint}


def flow(job: pawl.Job) -> Any:
    side = job.spawn("side", "conformance.echo", 3)
    parts = job.call_all("parts", "conformance.echo", {"a": 1, "b": 2})
    job.sleep("pause", 0.01)
    which, approved = job.first(
        "answer", {"said": pawl.Receive("approve"), "late": pawl.Sleep("give-up", 3600)}
    )
    return {
        "parts": [part["result"] for part in parts],
        "which": which,
        "approved": approved,
        "side": job.wait(side),
        "last": job.call("last", "conformance.echo", 4),
    }


def failing_child(job: pawl.Job) -> Any:
    try:
        job.call("bad", "conformance.fail", {"message": "no"})
    except pawl.ChildrenFailed as failed:
        return {"failed": failed.counts["failed"], "class": failed.failed[0]["error"]["class"]}


HANDLERS: Dict[str, Callable[[pawl.Job], Any]] = {
    "conformance.echo": echo,
    "conformance.fail": fail,
    "conformance.retry": retry,
    "conformance.stages": stages,
    "conformance.checkpoint": checkpoint,
    "conformance.wait": wait,
    "conformance.snooze": snooze,
    "conformance.flow": flow,
    "conformance.failing-child": failing_child,
}


def do_enqueue(asked: Dict[str, Any]) -> Any:
    handle = client.enqueue(asked["type"], asked.get("input"), key=asked.get("key"))
    return {"jobId": handle.id, "isNew": handle.is_new}


def do_claim(asked: Dict[str, Any]) -> Any:
    found = client.claim(asked["worker"], asked["types"], wait=asked["waitMs"] / 1000)
    if not found:
        return None
    (lease,) = found
    leases[f"{lease.id}/{lease.epoch}"] = lease
    return {
        "jobId": lease.id,
        "epoch": lease.epoch,
        "attempt": lease.attempt,
        "input": lease.input,
        "checkpoint": lease.checkpoint,
        "stages": lease.stages,
    }


def lease_of(asked: Dict[str, Any]) -> pawl.Lease:
    return leases[f"{asked['jobId']}/{asked['epoch']}"]


def do_heartbeat(asked: Dict[str, Any]) -> Any:
    members = {name: asked[name] for name in ("progress", "message", "checkpoint", "log") if name in asked}
    return {"cancel": lease_of(asked).heartbeat(**members)["cancel"]}


def do_work(asked: Dict[str, Any]) -> None:
    global worker
    worker = pawl.Worker(client, concurrency=4, claim_wait=1)
    for name, definition in asked["types"].items():
        worker.job(name, **definition)(HANDLERS[name])
    worker.start()


def do_stop(asked: Dict[str, Any]) -> None:
    if worker is not None:
        worker.stop()


VERBS: Dict[str, Callable[[Dict[str, Any]], Any]] = {
    "hello": lambda _: {"client": "python"},
    "register": lambda asked: client.put_type(asked["type"], asked["definition"])["type"],
    "enqueue": do_enqueue,
    "result": lambda asked: client.result(asked["jobId"], asked["timeoutMs"] / 1000),
    "cancel": lambda asked: client.cancel(asked["jobId"], reason=asked.get("reason"))["state"],
    "send": lambda asked: client.send(asked["jobId"], asked["name"], asked["payload"]),
    "claim": do_claim,
    "heartbeat": do_heartbeat,
    "keepStage": lambda asked: lease_of(asked).keep_stage(asked["name"], asked["result"])["name"],
    "complete": lambda asked: lease_of(asked).complete(asked["result"])["state"],
    "fail": lambda asked: lease_of(asked).fail(asked["error"])["state"],
    "snooze": lambda asked: lease_of(asked).snooze(asked["delayMs"] / 1000, asked.get("checkpoint"))["state"],
    "release": lambda asked: lease_of(asked).release()["state"],
    "cancelled": lambda asked: lease_of(asked).cancelled()["state"],
    "work": do_work,
    "stop": do_stop,
}


def answer_to(asked: Dict[str, Any]) -> Dict[str, Any]:
    try:
        return {"id": asked["id"], "value": VERBS[asked["do"]](asked)}
    except pawl.PawlError as refused:
        return {"id": asked["id"], "error": {"code": refused.code, "message": str(refused)}}
    except pawl.JobFailed as failed:
        return {"id": asked["id"], "error": {"code": "JOB_FAILED", "message": str(failed)}}
    except pawl.JobCancelled as cancelled:
        return {"id": asked["id"], "error": {"code": "JOB_CANCELLED", "message": str(cancelled)}}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(answer_to(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
