"""`channel.py` as agentd-conformance asks it: a question of JSON to a line in, an answer to a line out."""

import base64
import json
import sys

import channel


def frame(question):
    channel.read_frame(question["text"])


def scope(question):
    channel.read_scope(question["scope"])


def scope_match(question):
    named = channel.read_scope(question["scope"])
    return {"matches": [channel.scope_names(named, session) for session in question["sessions"]]}


def filter_(question):
    channel.read_filter(question["filter"])


def filter_match(question):
    clauses = channel.read_filter(question["filter"])
    return {"matches": channel.filter_admits(clauses, question["frame"], question.get("tool"))}


def stream(question):
    reader = channel.EventReader()
    for chunk in question["chunks"]:
        reader.feed(base64.b64decode(chunk))
    return {"events": reader.events, "last_event_id": reader.last_event_id, "retry": reader.retry}


def exchange(question):
    substrate = channel.Substrate("~alice")
    tools = {session["name"]: session.get("tool") for session in question["sessions"]}
    streams = {session["name"]: substrate.open(session) for session in question["sessions"]}
    results = []
    for submission in question["submit"]:
        try:
            tool = tools.get(submission.get("as"))
            results.append({"ok": True, **substrate.submit(submission["frame"], submission.get("scope"), tool)})
        except channel.Refusal as refusal:
            results.append({"ok": False, "error": refusal.error})
    return {"results": results, "received": streams}


def receive(question):
    recipient, now = channel.Recipient(), channel.moment(question["now"])
    return {"taken": [recipient.takes(frame, now) for frame in question["frames"]]}


def verb(question):
    return {"frame": channel.compose(question["verb"], question["arguments"])}


OPERATIONS = {"frame": frame, "scope": scope, "scope-match": scope_match, "filter": filter_, "filter-match": filter_match,
              "stream": stream, "exchange": exchange, "receive": receive, "verb": verb}


def answer(question):
    if question["op"] not in OPERATIONS:
        return {"unsupported": True}
    try:
        return {"ok": True, **(OPERATIONS[question["op"]](question) or {})}
    except channel.Refusal as refusal:
        return {"ok": False, "error": refusal.error}


for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], **answer(asked)}), flush=True)
