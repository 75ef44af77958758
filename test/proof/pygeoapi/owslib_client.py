"""OWSLib as a client of the gateway: `owslib_client.py <url> <process> <inputs as JSON>`."""

import json
import sys

from owslib.ogcapi.processes import Processes

url, process, inputs = sys.argv[1:]
client = Processes(url)
begun = client.execute(process, json.loads(inputs), async_=True)
print(
    json.dumps(
        {
            "conformance": len(client.conformance()["conformsTo"]),
            "processes": [one["id"] for one in client.processes()],
            "described": client.process(process)["id"],
            "sync": client.execute(process, json.loads(inputs)),
            "async": begun,
        }
    )
)
