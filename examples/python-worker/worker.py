"""A complete Pawl worker with nothing but Python's standard library.

It registers a type, takes jobs, keeps each alive with heartbeats from a thread of its own, saves a
checkpoint per line so that a later attempt goes on where the last one stopped, honours a cancel
wish, and reports the end. A second type is a flow: it runs jobs of the first and waits for them. Run it beside `npm start`:

    PAWL_URL=http://127.0.0.1:8080 PAWL_KEY=... python3 examples/python-worker/worker.py
"""

import json
import os
import signal
import threading
import time
import urllib.error
import urllib.request
import uuid

URL = os.environ.get("PAWL_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("PAWL_KEY")
TYPE = os.environ.get("PAWL_TYPE", "count-words")
FLOW = f"{TYPE}-report"
WORKER = f"python-{os.getpid()}-{uuid.uuid4().hex[:8]}"
LINE_SECONDS = float(os.environ.get("LINE_SECONDS", "0"))


class Refused(Exception):
    """The server said no, and will say so again."""

    def __init__(self, problem):
        super().__init__(f"{problem.get('code')}: {problem.get('detail')}")
        self.code = problem.get("code")


class Cancelled(Exception):
    """Somebody no longer wants the job."""


class Suspended(Exception):
    """The turn is over: the job comes back, from the top, when what it waits for is there."""


class LeaseLost(Exception):
    """The job is somebody else's now: stop, and report nothing."""


def call(method, path, body, timeout=30, tries=5):
    """Sends a request, again and with the same key where the answer may only have been lost."""
    data = json.dumps(body).encode()
    headers = {"content-type": "application/json", "idempotency-key": str(uuid.uuid4())}
    if KEY:
        headers["authorization"] = f"Bearer {KEY}"
    for left in range(tries - 1, -1, -1):
        request = urllib.request.Request(URL + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            problem = json.loads(error.read() or b"{}")
            if error.code not in (429, 502, 503, 504) or left == 0:
                raise Refused(problem) from None
            time.sleep(float(error.headers.get("retry-after", "1")))
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            if left == 0:
                raise
            time.sleep(0.2 * (tries - left))


class Job:
    """One claim: who holds it, and what the heartbeats have heard."""

    def __init__(self, claim):
        self.id = claim["job"]["id"]
        self.input = claim["input"]
        self.checkpoint = claim["checkpoint"]
        self.held = {"workerId": WORKER, "epoch": claim["epoch"]}
        self.every = claim["lease"]["renewInMs"] / 1000
        self.news = {}
        self.lock = threading.Lock()
        self.cancel = None
        self.is_lost = False
        self.is_over = threading.Event()

    def report(self, **news):
        """Goes with the next heartbeat; this is also where a handler learns that it must stop."""
        with self.lock:
            self.news.update(news)
        if self.is_lost:
            raise LeaseLost
        if self.cancel:
            raise Cancelled(self.cancel["reason"])

    def beat(self):
        """Renews the lease. A lost one is final, anything else is tried again at the next beat."""
        with self.lock:
            news, self.news = self.news, {}
        try:
            answer = call("POST", f"/v1/jobs/{self.id}/heartbeat", {**self.held, **news}, tries=2)
            self.cancel = answer["cancel"]
        except Refused as error:
            self.is_lost = error.code in ("LEASE_LOST", "NOT_FOUND")
        except OSError:
            with self.lock:
                self.news = {**news, **self.news}

    def keep(self):
        """The thread of the heartbeats: all durations are the server's, so no clock is compared."""
        while not self.is_over.wait(self.every) and not self.is_lost:
            self.beat()

    def call_all(self, wait, kind, inputs):
        """Runs a job for each input, by its key, and gives their results once all have ended."""
        items = [{"key": key, "type": kind, "input": value} for key, value in inputs.items()]
        self.end("children", wait=wait, items=items, onFailure="collect")
        (children,) = self.wait_for({"name": wait, "kind": "children"})
        return children["results"]

    def receive(self, name):
        """The oldest message of that name, which may have come long before."""
        (message,) = self.wait_for({"name": name, "kind": "message"})
        return message["payload"]

    def wait_for(self, *waits):
        answer = self.end("await", waits=list(waits))
        if answer["suspended"]:
            raise Suspended
        return [one["value"] for one in answer["waits"]]

    def end(self, verb, **body):
        return call("POST", f"/v1/jobs/{self.id}/{verb}", {**self.held, **body})


def count_words(job):
    """The handler: counts the words of each line of a text."""
    lines = job.input["text"].splitlines()
    done = job.checkpoint or {"line": 0, "words": 0}
    for number in range(done["line"], len(lines)):
        time.sleep(LINE_SECONDS)
        done = {"line": number + 1, "words": done["words"] + len(lines[number].split())}
        progress = 100 * done["line"] / len(lines)
        job.report(progress=progress, message=f"line {done['line']}", checkpoint=done)
    return {"words": done["words"]}


def report(job):
    """A flow: counts several texts, each in a job of its own, and waits for somebody to sign.

    It is run from the top in each turn; what is decided is given at once.
    """
    parts = job.call_all("texts", TYPE, {name: {"text": text} for name, text in job.input.items()})
    signature = job.receive("signed")
    return {"words": sum(part["result"]["words"] for part in parts if part["ok"]), **signature}


HANDLERS = {TYPE: count_words, FLOW: report}


def run(claim):
    job = Job(claim)
    keeper = threading.Thread(target=job.keep, daemon=True)
    keeper.start()
    try:
        if claim["job"]["phase"] == "leased":
            job.end("start")
        result = HANDLERS[claim["job"]["type"]](job)
        job.is_over.set()
        job.end("complete", result=result)
        print(f"completed {job.id} {json.dumps(result)}", flush=True)
    except Cancelled:
        job.is_over.set()
        job.end("cancelled", checkpoint=job.news.get("checkpoint", job.checkpoint))
        print(f"cancelled {job.id}", flush=True)
    except Suspended:
        print(f"suspended {job.id}", flush=True)
    except LeaseLost:
        print(f"lost {job.id}", flush=True)
    except Refused as error:
        print(f"refused {job.id} {error}", flush=True)
    except Exception as error:  # a bug in the handler, or a text that is none
        error_class = "validation_error" if isinstance(error, (KeyError, TypeError)) else "internal_bug"
        job.end("fail", error={"class": error_class, "message": repr(error)})
        print(f"failed {job.id} {error!r}", flush=True)
    finally:
        job.is_over.set()
        keeper.join()


def main():
    stop = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stop.set())
    lease = {"ttlMs": 30_000, "heartbeatMs": int(os.environ.get("HEARTBEAT_MS", "10000"))}
    call("PUT", f"/v1/types/{TYPE}", {"lifecycle": "task", "lease": lease})
    call("PUT", f"/v1/types/{FLOW}", {"lifecycle": "task", "lease": lease, "calls": [TYPE]})
    print(f"ready {WORKER}", flush=True)
    while not stop.is_set():
        asked = {"workerId": WORKER, "types": [TYPE, FLOW], "max": 1, "waitMs": 1000}
        for claim in call("POST", "/v1/claims", asked)["jobs"]:
            run(claim)


if __name__ == "__main__":
    main()
