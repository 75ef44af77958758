"""What the conformance scenarios do not show, against a real server at PAWL_URL."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import unittest
import uuid
from pathlib import Path
from typing import Any, List

sys.path.insert(0, str(Path(__file__).parent.parent / "src"))

import pawl  # noqa: E402

URL = os.environ["PAWL_URL"]
QUICK = {"retry": {"maxAttempts": 2, "backoff": {"kind": "fixed", "baseMs": 1}}}
WAIT = 60


def new_type() -> str:
    return f"python.{uuid.uuid4().hex}"


class ClientTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = pawl.Client(URL)
        self.addCleanup(self.client.close)

    def test_every_code_of_the_server_has_an_error_class(self) -> None:
        document = self.client.transport.request("GET", "/openapi.json").body
        problem = document["components"]["schemas"]["Problem"]
        self.assertEqual(set(pawl.ERRORS_BY_CODE), set(problem["properties"]["code"]["enum"]))

    def test_a_faulty_member_is_named(self) -> None:
        with self.assertRaises(pawl.ValidationFailed) as caught:
            self.client.enqueue("no such name!")
        self.assertEqual(caught.exception.status, 400)
        self.assertEqual(caught.exception.faults[0]["pointer"], "/type")

    def test_an_unreachable_server_is_an_unknown_outcome(self) -> None:
        with self.assertRaises(pawl.OutcomeUnknown):
            pawl.Client("http://127.0.0.1:1", retries=0).enqueue("any")

    def test_one_bad_job_of_many_is_named_and_spoils_no_other(self) -> None:
        type = new_type()
        self.client.put_type(type, {"lifecycle": "task"})
        results = self.client.enqueue_many([pawl.new_job(type, 1), pawl.new_job("python.unknown")])
        self.assertEqual([one["status"] for one in results], [202, 404])
        with self.assertRaises(pawl.UnknownType):
            self.client.enqueue_many([pawl.new_job("python.unknown")], atomic=True)

    def test_a_wait_for_a_result_ends_when_the_caller_says(self) -> None:
        type = new_type()
        self.client.put_type(type, {"lifecycle": "task"})
        job = self.client.enqueue(type, delay=3600, metadata={"by": "test"}, priority="high")
        with self.assertRaises(pawl.WaitTimeout):
            job.result(timeout=0.05)
        self.assertEqual(job.snapshot()["metadata"], {"by": "test"})
        self.assertEqual(job.cancel()["phase"], "cancelled")
        self.assertEqual([event["type"] for event in job.events()][0], "job_created")


class WorkerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.client = pawl.Client(URL)
        self.addCleanup(self.client.close)
        self.type = new_type()

    def worker(self, **options: Any) -> pawl.Worker:
        return pawl.Worker(self.client, claim_wait=1, **options)

    def test_an_attempt_that_takes_too_long_fails_as_a_timeout(self) -> None:
        worker = self.worker()
        over = threading.Event()

        @worker.job(self.type, timeoutMs=10_000, retry={"maxAttempts": 1})
        def slow(job: pawl.Job) -> None:
            over.wait(WAIT)

        with worker:
            job = self.client.enqueue(self.type)
            error = job.ended(WAIT)["error"]
            over.set()
        self.assertEqual(error["class"], "timeout")

    def test_a_timeout_with_a_newer_checkpoint_goes_on_from_it(self) -> None:
        worker = self.worker()
        over = threading.Event()

        @worker.job(self.type, timeoutMs=10_000, onTimeout="resume", retry={"maxAttempts": 1})
        def slow(job: pawl.Job) -> Any:
            if job.last_checkpoint is not None:
                over.set()
                return job.last_checkpoint
            job.checkpoint({"page": 1})
            over.wait(WAIT)

        worker.concurrency = 2
        with worker:
            self.assertEqual(self.client.enqueue(self.type).result(WAIT), {"page": 1})

    def test_a_worker_that_stops_gives_back_what_still_runs(self) -> None:
        worker = self.worker()
        begun, over = threading.Event(), threading.Event()

        @worker.job(self.type)
        def slow(job: pawl.Job) -> None:
            begun.set()
            over.wait(WAIT)

        worker.start()
        job = self.client.enqueue(self.type)
        self.assertTrue(begun.wait(WAIT))
        worker.stop(grace=0)
        over.set()
        snapshot = job.snapshot()
        self.assertEqual((snapshot["phase"], snapshot["lease"]), ("ready", None))
        job.cancel()

    def test_an_error_is_kept_with_its_bases_its_stack_and_its_cause(self) -> None:
        worker = self.worker()

        class OutOfInk(OSError):
            pass

        @worker.job(self.type, fatal=["OSError"])
        def prints(job: pawl.Job) -> None:
            try:
                raise KeyError("cartridge")
            except KeyError as cause:
                raise OutOfInk("no ink") from cause

        with worker:
            error = self.client.enqueue(self.type).ended(WAIT)["error"]
        self.assertEqual((error["class"], error["message"]), ("OutOfInk", "no ink"))
        self.assertFalse(error["retryable"])
        self.assertIn("raise OutOfInk", error["stack"])
        self.assertEqual(error["causes"][0]["class"], "KeyError")

    def test_two_waits_of_one_name_are_refused(self) -> None:
        worker = self.worker()

        @worker.job(self.type, **QUICK)
        def twice(job: pawl.Job) -> str:
            job.sleep("pause", 0)
            try:
                job.sleep("pause", 0)
            except ValueError as refused:
                return str(refused)
            return ""

        with worker:
            self.assertIn("two waits named", self.client.enqueue(self.type).result(WAIT))

    def test_a_message_that_does_not_fit_is_set_aside(self) -> None:
        worker = self.worker()

        def yes(payload: Any) -> Any:
            if payload != "yes":
                raise ValueError("must be yes")
            return payload

        @worker.job(self.type, **QUICK)
        def asks(job: pawl.Job) -> Any:
            return job.receive("answer", check=yes)

        with worker:
            job = self.client.enqueue(self.type)
            job.send("answer", "no")
            job.send("answer", "yes")
            self.assertEqual(job.result(WAIT), "yes")


class AsyncTest(unittest.IsolatedAsyncioTestCase):
    async def test_heartbeats_go_on_while_the_event_loop_is_busy(self) -> None:
        type = new_type()
        async with pawl.AsyncClient(URL) as client:
            worker = pawl.AsyncWorker(client, claim_wait=1)

            @worker.job(type, lease={"ttlMs": 60_000, "heartbeatMs": 1_000})
            async def blocks(job: pawl.AsyncJob) -> int:
                began = job.sync.lease.expires_in
                until = time.monotonic() + began + 1
                while time.monotonic() < until:
                    time.sleep(0.05)
                return job.attempt

            async with worker:
                job = await client.enqueue(type)
                self.assertEqual(await job.result(WAIT), 1)
                self.assertEqual((await job.snapshot())["epoch"], 1)

    async def test_a_cancelled_job_cancels_its_coroutine(self) -> None:
        type = new_type()
        seen: List[str] = []
        begun = asyncio.Event()
        async with pawl.AsyncClient(URL) as client:
            worker = pawl.AsyncWorker(client, claim_wait=1)

            @worker.job(type, lease={"heartbeatMs": 500})
            async def waits(job: pawl.AsyncJob) -> None:
                begun.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    seen.append(job.cancel_reason or "")

            async with worker:
                job = await client.enqueue(type)
                await begun.wait()
                await job.cancel(reason="enough")
                with self.assertRaises(pawl.JobCancelled):
                    await job.result(WAIT)
                self.assertEqual(seen, ["enough"])


if __name__ == "__main__":
    unittest.main()
