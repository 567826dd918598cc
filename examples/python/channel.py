"""The agent channel in one file: frames, scopes, filters, streams, verbs, and who gets what.

Written from the Agent-Channel Fan-Out memo and the standard library of Python 3.9; section numbers are the memo's. Shapes
whose fields the memo only describes (5.5, 5.6, 5.8, 5.12) have the names that agentd's docs/frames.md gives them.
"""

import codecs
import io
import json
import math
import re
import uuid
from datetime import datetime, timedelta, timezone

MAX_FRAME_OCTETS = 65536
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?"
NAME = rf"(?!org(?:/|\Z)){LABEL}"
HANDLE = re.compile(rf"~{NAME}")
SCOPE = re.compile(rf"""(?=.{{1,512}}\Z) (?:  # 6
    (?P<handle>~{NAME}) (?:/(?: (?P<prefix>[a-z0-9-]{{0,32}})\* | (?P<instrument>{LABEL})@(?P<session>[A-Za-z0-9._:-]{{1,128}}) ))?
    | org:~?{NAME}/members/(?:[a-z0-9][a-z0-9_-]*/)?\*
    | accord:~?{NAME}/grant:[A-Za-z0-9._:-]+)""", re.VERBOSE)
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII)
NAMESPACED = re.compile(r"[^\s.:/#]+(?:[.:/#][^\s.:/#]+)+")


class Refusal(Exception):
    """What is wrong, as section 10 has it."""

    def __init__(self, code, field, message):
        super().__init__(message)
        self.error = {"code": code, "field": field, "message": message}


def require(holds, code, field, message):
    if not holds:
        raise Refusal(code, field, message)


# -- What a field may be: a rule takes a value and its path, and yields what is wrong as (code, path, message).
def such(test, says):
    def rule(value, path):
        if not test(value):
            yield "field-invalid", path, f"must be {says}"
    return rule


def text(low=0, high=math.inf, one_line=False):
    unfit = re.compile("[\ud800-\udfff\r\n]" if one_line else "[\ud800-\udfff]")  # halves of surrogate pairs, ends of lines
    def is_one(value):
        return isinstance(value, str) and not unfit.search(value) and low <= len(value.encode()) <= high
    return such(is_one, f"a {'line' if one_line else 'text'} of {low} to {high} octets")


def written(pattern, says):
    return such(lambda value: isinstance(value, str) and pattern.fullmatch(value), says)


def one_of(*values):
    return such(lambda value: value in values, f"one of {', '.join(values)}")


def integer(low, high=2**53 - 1):
    def is_one(value):
        return type(value) in (int, float) and low <= value <= high and value == int(value)  # true is no number
    return such(is_one, f"an integer from {low} to {high}")


def items(rule, low=0, high=math.inf):
    def each(value, path):
        if not isinstance(value, list) or not low <= len(value) <= high:
            yield "field-invalid", path, f"must be a list of {low} to {high}"
            return
        for at, item in enumerate(value):
            yield from rule(item, f"{path}[{at}]")
    return each


class Shape:
    """The rule of a closed object: a rule for each field; one that is written with `_` at its end may be absent."""

    def __init__(self, **fields):
        self.rules = {name.rstrip("_"): rule for name, rule in fields.items()}
        self.required = {name for name in fields if not name.endswith("_")}

    def __call__(self, value, path):
        if not isinstance(value, dict):
            yield "field-invalid", path, "must be an object"
            return
        prefix = path and f"{path}."
        for name in sorted(value.keys() - self.rules.keys()):
            yield "field-unknown", prefix + name, "is no field of it"
        for name, rule in self.rules.items():
            if name in value:
                yield from rule(value[name], prefix + name)
            elif name in self.required:
                yield "field-missing", prefix + name, "is required"


def check(rule, value, path=""):
    """Raises the first fault there is: fields unknown before missing before invalid."""
    order = ["field-unknown", "field-missing", "field-invalid"]
    fault = min(rule(value, path), key=lambda fault: order.index(fault[0]), default=None)
    if fault is not None:
        code, field, message = fault
        raise Refusal(code, field, f'"{field}" {message}.')


def moment(value):
    """An RFC 3339 time as a datetime; None where it is none."""
    match = TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    day, minute, second, fraction, zone = match.groups()
    is_leap = second == "60"
    try:
        whole = datetime.fromisoformat(f"{day}T{minute}:{'59' if is_leap else second}{zone.upper().replace('Z', '+00:00')}")
        return whole + timedelta(seconds=is_leap + float(fraction or 0))
    except (ValueError, OverflowError):
        return None


handle = written(HANDLE, "a handle such as ~alice")
uuid4 = written(UUID4, "a version-4 UUID")
time = such(moment, "an RFC 3339 time with its zone")
scope = written(SCOPE, "a scope")
namespaced = written(NAMESPACED, "a namespaced identifier")
boolean = such(lambda value: isinstance(value, bool), "true or false")
anything = text()
refs = items(anything)

# -- 5: the payload of each kind
QUESTION = Shape(stem=text(1, one_line=True), options=items(Shape(label=text(1), reasoning=text(one_line=True)), 2, 4),
                 recommended_idx=integer(0), hatches_=Shape(free_text_=boolean, dialogue_=boolean))
PAYLOADS = {
    "agent_advisory": Shape(advisory_text=text(1, 2048), file_refs_=refs, worktree_=text(0, 512), branch_=text(0, 256)),
    "agent_broadcast": Shape(broadcast_text=text(1, 2048), event_class=one_of("merged", "stale", "released", "other"), refs_=refs),
    "agent_handover": Shape(previous_session_id=text(1, 128), next_session_id_=text(0, 128), handover_body=anything, pointer_refs_=refs),
    "agent_lock_request": Shape(resource=text(1, 512), lease_id=uuid4, ttl_ms=integer(1, 3_600_000), intent_=text(0, 2048)),
    "agent_lock_release": Shape(lease_id=uuid4, resource_=anything),
    "agent_lease_extend": Shape(lease_id=uuid4, additional_ttl_ms=integer(0)),
    "agent_query": Shape(query_text=text(1, 2048), query_id=uuid4, response_scope=scope, timeout_ms=integer(1)),
    "agent_response": Shape(query_id=uuid4, responder_session_id=text(1), response_text=text(1),
                            responded_to_frame_id_=uuid4, answer_attempt_idx_=integer(1)),
    "agent_return_event": Shape(return_event_ref=text(1, 256), query_id_=anything, summary=text(1, 2048)),
    "agent_binding_moment": Shape(synopsis=text(1, one_line=True), findings=refs, recommendations=refs, offer=text(one_line=True),
                                  question=QUESTION),
    "peer_diagnostic_request": Shape(symptom=text(1, 2048), diagnostic_id=uuid4, substrate_refs_=refs,
                                     severity=one_of("info", "degraded", "blocked")),
    "peer_diagnostic_response": Shape(diagnostic_id=uuid4, finding=text(1), remediation_=anything, substrate_refs_=refs),
    "intent_declare": Shape(convergence_class=namespaced, payload_ref=anything, acted_by=handle, drafted_with=handle, declared_at=time,
                            ttl=integer(0), withdrawable=boolean, urgency_=one_of("normal", "urgent")),
    "intent_withdraw": Shape(convergence_class=namespaced, intent_ref=anything, withdrawn_at=time),
    "flush_executed": Shape(convergence_class=namespaced, result_ref=anything, batch_refs_=refs, executed_at=time),
}
FRAME = Shape(  # 3
    envelope_version=anything, frame_id=uuid4, kind=anything, sender_handle=handle, recipient_handle=handle, created_at=time,
    ttl_ms_=integer(0), payload=such(lambda value: isinstance(value, dict), "an object"), acted_by=handle, drafted_with=handle,
    provenance_compute_location=one_of("server-active", "server-aggregate", "local-only"), provenance_method=items(anything, 1),
    provenance_return_ref_=anything, provenance_context_check=one_of("passed", "skipped"), provenance_basis=anything)


def check_frame(frame):
    """Raises Refusal unless the value is a frame (3, 4, 5)."""
    require(isinstance(frame, dict), "field-invalid", "frame", "A frame is an object.")
    for field, known, code in (("envelope_version", ["1.0"], "envelope-version-unsupported"), ("kind", PAYLOADS, "kind-unknown")):
        require(field in frame, "field-missing", field, f'"{field}" is required.')
        require(isinstance(frame[field], str), "field-invalid", field, f'"{field}" must be a string.')
        require(frame[field] in known, code, field, f'There is no such "{field}" here.')
    check(FRAME, frame)
    require(frame["drafted_with"] != frame["acted_by"], "field-invalid", "drafted_with", "Who acts and what drafts are two handles.")
    kind, payload = frame["kind"], frame["payload"]
    require(not payload or payload.keys() & PAYLOADS[kind].required, "payload-kind-mismatch", "payload", "This is another kind's.")
    check(PAYLOADS[kind], payload, "payload")
    if kind == "agent_binding_moment":
        path, question = "payload.question", payload["question"]
        hatches = {"free_text": True, "dialogue": True, **question.get("hatches", {})}
        require(question["recommended_idx"] < len(question["options"]), "field-invalid", f"{path}.recommended_idx", "It names no option.")
        require(any(hatches.values()), "field-invalid", f"{path}.hatches", "One of the hatches has to be open.")
    if kind == "intent_declare":
        for name in ("acted_by", "drafted_with"):
            require(payload[name] == frame[name], "field-invalid", f"payload.{name}", "It has to be the frame's.")
    return frame


def read_frame(source):
    """The frame that a text of JSON holds; each name once, and no more than 64 KiB."""
    def members(pairs):
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a name twice")
        return dict(pairs)
    try:
        require(len(source.encode()) <= MAX_FRAME_OCTETS, "frame-too-large", "frame", f"It is over {MAX_FRAME_OCTETS} octets.")
        frame = json.loads(source, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise Refusal("field-invalid", "frame", f"This is no JSON: {error}.") from error
    return check_frame(frame)


# -- 6: scopes
def read_scope(value):
    """The parts of a scope; that of an organisation, or under an accord, has no `handle`."""
    check(scope, value, "recipient_scope")
    return SCOPE.fullmatch(value).groupdict()


def scope_names(scope, session):
    """Whether a scope that was read names a session."""
    if scope["handle"] != session["handle"]:
        return False
    if scope["session"] is not None:
        return (scope["instrument"], scope["session"]) == (session["instrument"], session["session_id"])
    return session["instrument"].startswith(scope["prefix"] or "")


# -- 8: filters
AXES = {
    "kind": PAYLOADS.__contains__,
    "sender": HANDLE.fullmatch,
    "content_type": bool,
    "tool": re.compile(r"[a-z0-9][a-z0-9-]{0,31}").fullmatch,
    "org": re.compile(rf"~?{NAME}").fullmatch,
}


def read_filter(expression):
    clauses = [clause.partition(":") for clause in expression.split(",")] if expression else []
    for axis, colon, value in clauses:
        require(axis in AXES, "filter-axis-unknown", "filter", f'There is no filter axis "{axis}".')
        require(colon and AXES[axis](value), "filter-value-invalid", "filter", f'The axis "{axis}" does not take this value.')
    return [(axis, value) for axis, _, value in clauses]


def filter_admits(clauses, frame, tool=None):
    """`content_type` and `org` admit no frame of version 1.0."""
    facts = {"kind": frame["kind"], "sender": frame["sender_handle"], "tool": tool}
    return all(facts.get(axis) == value for axis, value in clauses)


# -- 7.2: streams of Server-Sent Events
class EventReader:
    """Feed it octets in any pieces; `events` grows."""

    def __init__(self):
        self.events, self.last_event_id, self.retry = [], "", None
        self._decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")("replace"), translate=True)
        self._rest, self._id, self._event, self._data = "", "", "", []

    def feed(self, octets):
        *lines, self._rest = (self._rest + self._decoder.decode(octets)).split("\n")
        for line in lines:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if line == "":
                self.last_event_id = self._id
                if self._data:
                    self.events.append({"event": self._event or "message", "data": "\n".join(self._data), "id": self._id})
                self._event, self._data = "", []
            elif name == "data":
                self._data.append(value)
            elif name == "event":
                self._event = value
            elif name == "id" and "\0" not in value:
                self._id = value
            elif name == "retry" and re.fullmatch("[0-9]+", value):
                self.retry = int(value)


# -- 9: verbs
VERBS = {  # verb: kind, the payload field that its text goes into, what it makes by itself
    "agent_advise": ("agent_advisory", {"text": "advisory_text"}, {}),
    "agent_broadcast": ("agent_broadcast", {"text": "broadcast_text"}, {"event_class": lambda: "other"}),
    "agent_handover": ("agent_handover", {"body": "handover_body"}, {}),
    "agent_lock_acquire": ("agent_lock_request", {}, {"lease_id": lambda: str(uuid.uuid4()), "ttl_ms": lambda: 300_000}),
    "agent_lock_release": ("agent_lock_release", {}, {}),
    "agent_lease_extend": ("agent_lease_extend", {}, {"additional_ttl_ms": lambda: 300_000}),
    "agent_query": ("agent_query", {"text": "query_text"}, {"query_id": lambda: str(uuid.uuid4()), "timeout_ms": lambda: 60_000}),
    "agent_respond": ("agent_response", {"text": "response_text"}, {}),
}


def compose(verb, arguments, who="~alice", drafted_with="~python-example"):
    """The frame that a verb stands for."""
    if verb == "agent_send":
        kind, payload = arguments["kind"], arguments["payload"]
    else:
        kind, names, made = VERBS[verb]
        given = {names.get(name, name): value for name, value in arguments.items()}
        payload = {**{name: make() for name, make in made.items()}, **given}
    return check_frame({
        "envelope_version": "1.0", "frame_id": str(uuid.uuid4()), "kind": kind, "sender_handle": who, "recipient_handle": who,
        "created_at": datetime.now(timezone.utc).isoformat(), "payload": payload, "acted_by": who, "drafted_with": drafted_with,
        "provenance_compute_location": "local-only", "provenance_method": ["program"],
        "provenance_context_check": "skipped", "provenance_basis": "example"})


# -- 7.1, 14: who gets what
class Substrate:
    """Sessions of one principal and their streams, in memory."""

    def __init__(self, principal):
        self.principal, self.subscriptions, self.results = principal, [], {}

    def open(self, session):
        """A stream: the list that events are put into."""
        stream = []
        self.subscriptions.append((session, read_filter(session.get("filter", "")), stream))
        return stream

    def submit(self, frame, scope=None, tool=None):
        """How many subscriptions the frame was emitted to."""
        check_frame(frame)
        is_own = frame["sender_handle"] == frame["acted_by"] == self.principal
        require(is_own, "sender-identity-mismatch", "sender_handle", "You are somebody else.")
        named = read_scope(f"{frame['recipient_handle']}/*" if scope is None else scope)
        require(named["handle"], "scope-unimplemented", "recipient_scope", "There are no organisations here.")
        is_ours = named["handle"] == frame["recipient_handle"] == self.principal
        require(is_ours, "scope-unauthorised", "recipient_scope", "You may only address sessions of your own.")
        if frame["frame_id"] in self.results:
            former, count = self.results[frame["frame_id"]]
            require(former == frame, "field-invalid", "frame_id", "Another frame has this id.")
            return {"recipient_count": count, "duplicate": True}
        reached = [stream for session, clauses, stream in self.subscriptions
                   if scope_names(named, session) and filter_admits(clauses, frame, tool)]
        for stream in reached:
            stream.append({"id": str(len(self.results) + 1), "frame": frame})
        self.results[frame["frame_id"]] = (frame, len(reached))
        return {"recipient_count": len(reached)}


class Recipient:
    """Takes no malformed frame, no stale one, and none twice (14)."""

    def __init__(self, horizon_ms=600_000):
        self.horizon_ms, self.seen = horizon_ms, set()

    def takes(self, frame, now):
        try:
            frame_id = check_frame(frame)["frame_id"]
        except Refusal:
            return False
        is_taken = self.ends(frame) > now and frame_id not in self.seen
        self.seen.add(frame_id)
        return is_taken

    def ends(self, frame):
        """When it is stale; an intent has a window of its own."""
        def after(start, ms):
            return moment(start) + timedelta(milliseconds=ms)
        until, payload = after(frame["created_at"], frame.get("ttl_ms", self.horizon_ms)), frame["payload"]
        if frame["kind"] != "intent_declare":
            return until
        closes = after(payload["declared_at"], payload["ttl"])
        return min(until, closes) if "ttl_ms" in frame else closes
