"""A running agentd, spoken to over HTTP on its Unix socket: frames in, the per-handle stream out (docs/http.md)."""

import http.client
import json
import os
import pathlib
import socket
import subprocess
import sys
import urllib.parse
from datetime import datetime, timezone

import channel


def socket_path():
    """Where the daemon listens: AGENTD_SOCKET, or what `agentd start` says, which starts it where none runs."""
    return os.environ.get("AGENTD_SOCKET") or json.loads(subprocess.check_output(["agentd", "start", "--json"]))["socket"]


def refusal_of(reply):
    return channel.Refusal(reply["code"], reply.get("field"), reply["message"])


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path):
        super().__init__("agentd")
        self._path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


class Session:
    """One session of one's own principal: it has an address, a stream, and its name under what it sends."""

    def __init__(self, instrument="python-example", title=None):
        self._path, self._headers = socket_path(), {}
        facts = {"instrument": instrument, "pid": os.getpid(), "tool": "script", "cwd": str(pathlib.Path.cwd())}
        reply = self._ask("POST", "/v1/sessions", {**facts, **({"title": title} if title else {})})
        self.address, self.handle = reply["address"], reply["address"].partition("/")[0]
        self.drafted_with = "~" + instrument
        self._headers = {"authorization": f"Bearer {reply['token']}"}

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self._ask("DELETE", "/v1/sessions/self")
        if kind is KeyboardInterrupt:
            sys.exit(130)  # Ctrl-C ends a program, and is no fault of its

    def send(self, verb, scope=None, **arguments):
        """Composes the frame of a verb here and submits it; the frame, and how many sessions it went to or waits for."""
        frame = channel.compose(verb, arguments, self.handle, self.drafted_with)
        submission = {"frame": frame, "recipient_scope": scope or f"{self.handle}/*"}
        reply = self._ask("POST", "/v1/frames", submission)
        return frame, reply["recipient_count"] + reply.get("queued_count", 0)

    def frames(self, narrowed_to="", seconds=None, opened=lambda: None):
        """The frames that come over the session's stream, each checked, none stale, none twice; after so many silent seconds no more."""
        query = urllib.parse.urlencode({"filter": narrowed_to})
        connection = self._request("GET", f"/v1/handles/{self.handle}/stream?{query}", None)
        connection.sock.settimeout(seconds)
        response = connection.getresponse()
        if response.status != 200:
            raise refusal_of(json.load(response))
        reader, told, recipient = channel.EventReader(), 0, channel.Recipient()
        opened()
        try:
            while octets := response.read1(65536):
                reader.feed(octets)
                for event in reader.events[told:]:
                    told += 1
                    frame = self._read(event)
                    if frame is not None and recipient.takes(frame, datetime.now(timezone.utc)):
                        yield frame
        except socket.timeout:
            return
        finally:
            connection.close()

    @staticmethod
    def _read(event):
        if event["event"] not in ("message", "agent_frame"):
            return None
        try:
            return channel.read_frame(event["data"])
        except channel.Refusal:
            return None

    def _request(self, method, path, body):
        connection = UnixConnection(self._path)
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {**self._headers, "content-type": "application/json"} if text else self._headers)
        return connection

    def _ask(self, method, path, body=None):
        connection = self._request(method, path, body)
        response = connection.getresponse()
        reply = json.loads(response.read() or b"{}")
        connection.close()
        if response.status >= 300:
            raise refusal_of(reply)
        return reply
