"""A worker in Python: the package in clients/python, two handlers and nothing else.

The first type saves a checkpoint per line, so that a later attempt goes on where the last one
stopped; the second is a flow, which runs jobs of the first and waits for them and for a message.

    PAWL_URL=http://127.0.0.1:8080 PAWL_KEY=... python3 examples/python-worker/worker.py
"""

import logging
import os
import signal
import sys
import time
from pathlib import Path

# In a project of your own: pip install of clients/python.
sys.path.insert(0, str(Path(__file__).parents[2] / "clients" / "python" / "src"))

from pawl import Client, Job, PermanentError, Worker  # noqa: E402

TYPE = os.environ.get("PAWL_TYPE", "count-words")
LINE_SECONDS = float(os.environ.get("LINE_SECONDS", "0"))
LEASE = {"ttlMs": 30_000, "heartbeatMs": int(os.environ.get("HEARTBEAT_MS", "10000"))}

client = Client(os.environ.get("PAWL_URL", "http://127.0.0.1:8080"), token=os.environ.get("PAWL_KEY"))
worker = Worker(client, claim_wait=1)


@worker.job(TYPE, lease=LEASE)
def count_words(job: Job):
    """Counts the words of each line of a text."""
    if "text" not in job.input:
        raise PermanentError("the input has no text", error_class="validation_error")
    lines = job.input["text"].splitlines()
    done = job.last_checkpoint or {"line": 0, "words": 0}
    for number in range(done["line"], len(lines)):
        time.sleep(LINE_SECONDS)
        done = {"line": number + 1, "words": done["words"] + len(lines[number].split())}
        job.progress(100 * done["line"] / len(lines), f"line {done['line']}")
        job.checkpoint(done)
    return {"words": done["words"]}


@worker.job(f"{TYPE}-report", lease=LEASE, calls=[TYPE])
def report(job: Job):
    """Counts several texts, each in a job of its own, and waits for somebody to sign."""
    texts = {name: {"text": text} for name, text in job.input.items()}
    parts = job.call_all("texts", TYPE, texts, on_failure="collect")
    signature = job.receive("signed")
    return {"words": sum(part["result"]["words"] for part in parts if part["ok"]), **signature}


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: worker.request_stop())
    worker.start()
    print(f"ready {worker.id}", flush=True)
    worker.join()
