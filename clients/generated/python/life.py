"""A whole life of a job with the client that openapi-python-client makes."""

import os
import uuid

from pawl_client import Client
from pawl_client.api.jobs import accept_job, read_result
from pawl_client.api.types import put_type
from pawl_client.api.worker_protocol import (
    await_all,
    beat,
    claim_jobs,
    complete_job,
    keep_stage,
    spawn_children,
)
from pawl_client.models import (
    AwaitRequest,
    ChildRequest,
    ChildrenValue,
    ChildrenWait,
    ClaimRequest,
    CompleteRequest,
    HeartbeatRequest,
    JobRequest,
    JobTypeDefinition,
    Problem,
    ProblemCode,
    SpawnRequest,
    SpawnRequestOnFailure,
    StageResult,
)

WORKER = "python"
client = Client(base_url=os.environ["PAWL_URL"])
stem = f"life.{uuid.uuid4()}"
parent, child = f"{stem}.parent", f"{stem}.child"


def claim(type):
    asked = ClaimRequest(worker_id=WORKER, types=[type], max_=1, wait_ms=30_000)
    (found,) = claim_jobs.sync(client=client.with_timeout(60), body=asked).jobs
    return found


for name in (parent, child):
    put_type.sync(name, client=client, body=JobTypeDefinition(lifecycle="task"))

job = JobRequest(type_=parent, input_={"pages": 3})
first = accept_job.sync(client=client, body=job, idempotency_key=stem)
again = accept_job.sync(client=client, body=job, idempotency_key=stem)
assert first.id == again.id

held = claim(parent)
owner = {"worker_id": WORKER, "epoch": held.epoch}
news = HeartbeatRequest(**owner, progress=40, checkpoint={"page": 1}, log=["page 1"])
assert beat.sync(held.job.id, client=client, body=news).progress == 40
kept = keep_stage.sync(held.job.id, "render", client=client, body=StageResult(**owner, result=[1]))
assert kept.name == "render"

spawn = SpawnRequest(
    **owner,
    wait="parts",
    items=[ChildRequest(key="a", type_=child, input_=7)],
    on_failure=SpawnRequestOnFailure.COLLECT,
)
assert len(spawn_children.sync(held.job.id, client=client, body=spawn).ids) == 1
waits = [ChildrenWait(name="parts", kind="children")]
asked = AwaitRequest(**owner, waits=waits)
assert await_all.sync(held.job.id, client=client, body=asked).suspended

part = claim(child)
done = CompleteRequest(worker_id=WORKER, epoch=part.epoch, result=part.input_)
assert complete_job.sync(part.job.id, client=client, body=done).phase.value == "succeeded"

back = claim(parent)
assert back.job.id == held.job.id and back.epoch > held.epoch
assert back.stages.to_dict() == {"render": [1]}
mine = {"worker_id": WORKER, "epoch": back.epoch}
(state,) = await_all.sync(back.job.id, client=client, body=AwaitRequest(**mine, waits=waits)).waits
# The union is told apart by `kind`.
assert isinstance(state.value, ChildrenValue) and state.value.results[0].result == 7

refused = complete_job.sync(back.job.id, client=client, body=CompleteRequest(**owner, result="stale"))
assert isinstance(refused, Problem) and refused.code is ProblemCode.LEASE_LOST
complete_job.sync(back.job.id, client=client, body=CompleteRequest(**mine, result={"sum": 7}))
assert read_result.sync(back.job.id, client=client) == {"sum": 7}
print("a whole life of a job")
