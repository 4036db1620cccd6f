"""A service check: the product's server in a process of its own; the scenario that talks to it runs in the host's."""

import http.client
import os
import socket
import subprocess
import time

from assay_places import track

LOOK_EVERY_S = 0.02


class Service:
    def __init__(self, port):
        self.port = port
        self.url = f"http://127.0.0.1:{port}"


def start_service(job, places):
    """Starts the server and waits until it is ready. Raises RuntimeError when it never is."""
    service = job["service"]
    places.lay(service.get("files"))
    child = subprocess.Popen(
        [places.fill(part) for part in service["argv"]],
        cwd=places.tree if service["cwd"] == "tree" else places.tmp,
        env=places.environment(service.get("env")),
        stdin=subprocess.DEVNULL,
        stdout=2,
        stderr=2,
        start_new_session=True,
    )
    track(child.pid)
    ready = service["ready"]
    deadline = time.monotonic() + ready["timeoutMs"] / 1000
    while time.monotonic() < deadline:
        if child.poll() is not None:
            raise RuntimeError(f"the server was never ready: it ended with {child.returncode}")
        if _takes_connection(ready["port"]) and ("path" not in ready or _answers(ready["port"], ready["path"])):
            return Service(ready["port"])
        time.sleep(LOOK_EVERY_S)
    raise RuntimeError(f"the server was not ready within {ready['timeoutMs']} ms")


def _takes_connection(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def _answers(port, path):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1)
        connection.request("GET", path)
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
