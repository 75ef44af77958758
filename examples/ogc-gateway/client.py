"""A client of OGC API – Processes with nothing but the standard library.

    python3 client.py http://localhost:8080 echo '{"message": "Hello"}'

Lists the processes, executes one synchronously, then asynchronously, and fetches the results the
way OWSLib does: no Accept header, `response: document`, and every answer read as JSON.
"""

import json
import sys
import time
import urllib.error
import urllib.request

RESULTS = "http://www.opengis.net/def/rel/ogc/1.0/results"


def call(url, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers or {})
    if data is not None:
        request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request) as response:
        return response.headers, json.loads(response.read())


def execute(base, process, inputs, prefer):
    url = f"{base}/processes/{process}/execution"
    body = {"inputs": inputs, "response": "document"}
    return call(url, body, {"Prefer": prefer})


def wait_for_end(url):
    while True:
        _, status = call(url)
        if status["status"] not in ("accepted", "running"):
            return status
        time.sleep(0.2)


def show(what, value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    print(f"{what}: {text}")


def main(base, process, inputs):
    sys.stdout.reconfigure(encoding="utf-8")
    _, listed = call(f"{base}/processes")
    show("processes", ", ".join(one["id"] for one in listed["processes"]))
    _, results = execute(base, process, inputs, "respond-sync")
    show("sync", results)
    headers, _ = execute(base, process, inputs, "respond-async")
    status = wait_for_end(headers["Location"])
    show("async", status["status"])
    links = [link["href"] for link in status["links"] if link["rel"] == RESULTS]
    show("results", call(links[0])[1])


if __name__ == "__main__":
    try:
        main(sys.argv[1].rstrip("/"), sys.argv[2], json.loads(sys.argv[3]))
    except urllib.error.HTTPError as error:
        sys.exit(f"{error.code} {error.read().decode()}")
