"""The driver of the conformance scenarios with a worker on asyncio; the rest is conformance.py's."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Any, Awaitable, Callable, Dict, Optional

import conformance
import pawl


async def echo(job: pawl.AsyncJob) -> Any:
    return job.input


async def fail(job: pawl.AsyncJob) -> Any:
    raise pawl.PermanentError(job.input["message"], error_class="TooBig")


async def retry(job: pawl.AsyncJob) -> Any:
    if job.attempt == 1:
        raise pawl.TransientError("not yet")
    return {"attempt": job.attempt}


async def stages(job: pawl.AsyncJob) -> Any:
    runs = conformance.stage_runs

    async def count() -> int:
        runs[job.id] = runs.get(job.id, 0) + 1
        return runs[job.id]

    counted = await job.stage("count", count)
    if job.attempt == 1:
        raise pawl.TransientError("after the stage")
    return {"count": counted, "runs": runs[job.id], "attempt": job.attempt}


async def checkpoint(job: pawl.AsyncJob) -> Any:
    begun_at = job.last_checkpoint or 0
    for number in range(begun_at + 1, 5):
        await job.checkpoint(number)
        if job.attempt == 1 and number == 2:
            raise pawl.TransientError("after two")
    return {"from": begun_at, "attempt": job.attempt}


async def wait(job: pawl.AsyncJob) -> Any:
    job.progress(10, "waiting")
    job.log("the job waits to be cancelled", "warn")
    await asyncio.Event().wait()


async def snooze(job: pawl.AsyncJob) -> Any:
    if job.last_checkpoint is None:
        job.snooze(0.01, {"slept": True})
    return {"attempt": job.attempt, **job.last_checkpoint}


async def flow(job: pawl.AsyncJob) -> Any:
    side = await job.spawn("side", "conformance.echo", 3)
    parts = await job.call_all("parts", "conformance.echo", {"a": 1, "b": 2})
    await job.sleep("pause", 0.01)
    which, approved = await job.first(
        "answer", {"said": pawl.Receive("approve"), "late": pawl.Sleep("give-up", 3600)}
    )
    return {
        "parts": [part["result"] for part in parts],
        "which": which,
        "approved": approved,
        "side": await job.wait(side),
        "last": await job.call("last", "conformance.echo", 4),
    }


async def failing_child(job: pawl.AsyncJob) -> Any:
    try:
        await job.call("bad", "conformance.fail", {"message": "no"})
    except pawl.ChildrenFailed as failed:
        return {"failed": failed.counts["failed"], "class": failed.failed[0]["error"]["class"]}


HANDLERS: Dict[str, Callable[[pawl.AsyncJob], Awaitable[Any]]] = {
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

loop = asyncio.new_event_loop()
worker: Optional[pawl.AsyncWorker] = None


async def start(types: Dict[str, Dict[str, Any]]) -> pawl.AsyncWorker:
    client = pawl.AsyncClient(os.environ["PAWL_URL"], token=os.environ.get("PAWL_KEY"))
    made = pawl.AsyncWorker(client, concurrency=4, claim_wait=1)
    for name, definition in types.items():
        made.job(name, **definition)(HANDLERS[name])
    return await made.start()


def do_work(asked: Dict[str, Any]) -> None:
    global worker
    worker = asyncio.run_coroutine_threadsafe(start(asked["types"]), loop).result()


def do_stop(asked: Dict[str, Any]) -> None:
    if worker is not None:
        asyncio.run_coroutine_threadsafe(worker.stop(), loop).result()


if __name__ == "__main__":
    threading.Thread(target=loop.run_forever, daemon=True).start()
    conformance.VERBS.update({"work": do_work, "stop": do_stop})
    conformance.main()
