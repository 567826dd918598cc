"""The agent channel in one file: frames, scopes, filters, streams, verbs, and who gets what.

Written from the Agent-Channel Fan-Out memo and the standard library of Python 3.9; section numbers are the memo's. Shapes
whose fields the memo only describes (5.5, 5.6, 5.8, 5.12) have the names that agentd's docs/frames.md gives them.
"""

import json
import re
import uuid
from datetime import datetime, timedelta, timezone

MAX_FRAME_OCTETS = 65536
HANDLE = re.compile(r"~(?!org\Z)[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?\Z")
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?"
TOKEN = r"[A-Za-z0-9._:-]{1,128}"
ROLE = r"[a-z0-9][a-z0-9_-]*"
SCOPES = {  # 6
    "handle": re.compile(rf"(?P<handle>~{LABEL})(?:/(?:(?P<prefix>[a-z0-9-]{{0,32}})\*|(?P<instrument>{LABEL})@(?P<session>{TOKEN})))?\Z"),
    "org": re.compile(rf"org:(?P<handle>~?{LABEL})/members/(?:\*|{ROLE}/\*)\Z"),
    "accord": re.compile(rf"accord:(?P<handle>~?{LABEL})/grant:[A-Za-z0-9._:-]+\Z"),
}
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z", re.IGNORECASE)
TIME = re.compile(r"(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2}:)(\d{2})(\.\d+)?(?:[Zz]|([+-])(\d{2}):(\d{2}))\Z", re.ASCII)


class Refusal(Exception):
    """What is wrong, as section 10 has it."""

    def __init__(self, code, field, message):
        super().__init__(message)
        self.error = {"code": code, "field": field, "message": message}


# -- what a field may be: each rule says what is wrong with a value, or None

def text(low=0, high=None, one_line=False):
    def rule(value):
        if not isinstance(value, str):
            return "must be a string"
        try:
            octets = len(value.encode())
        except UnicodeEncodeError:
            return "must be well-formed Unicode"
        if octets < low or (high is not None and octets > high):
            return f"must be {low} to {high} octets long"
        return "must be one line" if one_line and re.search(r"[\r\n]", value) else None
    return rule


def matching(test, says):
    return lambda value: None if isinstance(value, str) and test(value) else f"must be {says}"


def one_of(*values):
    return matching(lambda value: value in values, f"one of {', '.join(values)}")


def integer(low, high=2**53 - 1):
    def rule(value):
        whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1
        return None if whole and low <= value <= high else f"must be an integer from {low} to {high}"
    return rule


def items(rule, low=0, high=None):
    def checked(value):
        if not isinstance(value, list) or len(value) < low or (high is not None and len(value) > high):
            return "must be a list" if not low else f"must be a list of {low} or more"
        return next((wrong for wrong in map(rule, value) if wrong), None)
    return checked


def boolean(value):
    return None if isinstance(value, bool) else "must be true or false"


def moment(value):
    """An RFC 3339 time as a datetime; None where it is none."""
    match = TIME.match(value) if isinstance(value, str) else None
    if match is None:
        return None
    day, clock, second, fraction, sign, hours, minutes = match.groups()
    leap = second == "60"
    try:
        found = datetime.fromisoformat(f"{day}T{clock}{'59' if leap else second}")
        offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
        if int(hours or 0) > 23 or int(minutes or 0) > 59:
            return None
        found += timedelta(seconds=float(fraction or 0) + leap) - (-offset if sign == "-" else offset)
        return found.replace(tzinfo=timezone.utc)
    except (ValueError, OverflowError):
        return None


handle = matching(HANDLE.match, "a handle such as ~alice")
uuid4 = matching(UUID4.match, "a version-4 UUID")
time = matching(moment, "an RFC 3339 time with its zone")
scope_text = matching(lambda value: read_scope(value, None) is not None, "a scope")
namespaced = matching(lambda value: re.match(r"[^\s.:/#]+(?:[.:/#][^\s.:/#]+)+\Z", value), "a namespaced identifier")
anything = text()
refs = items(anything)


class Shape:
    """A closed object: its fields with their rules, those with `?` optional."""

    def __init__(self, **fields):
        self.rules = {name.rstrip("_"): rule for name, rule in fields.items()}
        self.optional = {name.rstrip("_") for name in fields if name.endswith("_")}

    def faults(self, value, path):
        """(rank, code, field, message): unknown before missing before invalid."""
        if not isinstance(value, dict):
            yield 2, "field-invalid", path.rstrip("."), "must be an object"
            return
        for name in sorted(set(value) - set(self.rules)):
            yield 0, "field-unknown", path + name, "is no field of it"
        for name, rule in self.rules.items():
            if name not in value:
                if name not in self.optional:
                    yield 1, "field-missing", path + name, "is required"
            elif isinstance(rule, Shape):
                yield from rule.faults(value[name], f"{path}{name}.")
            elif isinstance(rule, list):
                yield from self.of_each(rule, value[name], path + name)
            elif (wrong := rule(value[name])) is not None:
                yield 2, "field-invalid", path + name, wrong

    @staticmethod
    def of_each(rule, value, path):
        shape, low, high = rule
        if not isinstance(value, list) or not low <= len(value) <= high:
            yield 2, "field-invalid", path, f"must be a list of {low} to {high}"
            return
        for at, item in enumerate(value):
            yield from shape.faults(item, f"{path}[{at}].")


# -- 5: the payload of each kind

OPTION = Shape(label=text(1), reasoning=text(0, None, True))
QUESTION = Shape(stem=text(1, None, True), options=[OPTION, 2, 4], recommended_idx=integer(0),
                 hatches_=Shape(free_text_=boolean, dialogue_=boolean))
PAYLOADS = {
    "agent_advisory": Shape(advisory_text=text(1, 2048), file_refs_=refs, worktree_=text(0, 512), branch_=text(0, 256)),
    "agent_broadcast": Shape(broadcast_text=text(1, 2048), event_class=one_of("merged", "stale", "released", "other"), refs_=refs),
    "agent_handover": Shape(previous_session_id=text(1, 128), next_session_id_=text(0, 128), handover_body=anything, pointer_refs_=refs),
    "agent_lock_request": Shape(resource=text(1, 512), lease_id=uuid4, ttl_ms=integer(1, 3_600_000), intent_=text(0, 2048)),
    "agent_lock_release": Shape(lease_id=uuid4, resource_=anything),
    "agent_lease_extend": Shape(lease_id=uuid4, additional_ttl_ms=integer(0)),
    "agent_query": Shape(query_text=text(1, 2048), query_id=uuid4, response_scope=scope_text, timeout_ms=integer(1)),
    "agent_response": Shape(query_id=uuid4, responder_session_id=text(1), response_text=text(1),
                            responded_to_frame_id_=uuid4, answer_attempt_idx_=integer(1)),
    "agent_return_event": Shape(return_event_ref=text(1, 256), query_id_=anything, summary=text(1, 2048)),
    "agent_binding_moment": Shape(synopsis=text(1, None, True), findings=refs, recommendations=refs, offer=text(0, None, True), question=QUESTION),
    "peer_diagnostic_request": Shape(symptom=text(1, 2048), diagnostic_id=uuid4, substrate_refs_=refs, severity=one_of("info", "degraded", "blocked")),
    "peer_diagnostic_response": Shape(diagnostic_id=uuid4, finding=text(1), remediation_=anything, substrate_refs_=refs),
    "intent_declare": Shape(convergence_class=namespaced, payload_ref=anything, acted_by=handle, drafted_with=handle, declared_at=time,
                            ttl=integer(0), withdrawable=boolean, urgency_=one_of("normal", "urgent")),
    "intent_withdraw": Shape(convergence_class=namespaced, intent_ref=anything, withdrawn_at=time),
    "flush_executed": Shape(convergence_class=namespaced, result_ref=anything, batch_refs_=refs, executed_at=time),
}
FRAME = Shape(  # 3
    envelope_version=anything, frame_id=uuid4, kind=anything, sender_handle=handle, recipient_handle=handle, created_at=time,
    ttl_ms_=integer(0), payload=lambda value: None if isinstance(value, dict) else "must be an object", acted_by=handle,
    drafted_with=handle, provenance_compute_location=one_of("server-active", "server-aggregate", "local-only"),
    provenance_method=items(anything, 1), provenance_return_ref_=anything,
    provenance_context_check=one_of("passed", "skipped"), provenance_basis=anything)


def refuse_first(faults):
    first = min(faults, default=None, key=lambda fault: fault[0])
    if first is not None:
        _, code, field, message = first
        raise Refusal(code, field, f'"{field}" {message}.')


def check_frame(frame):
    """Raises Refusal unless the value is a frame (3, 4, 5)."""
    if not isinstance(frame, dict):
        raise Refusal("field-invalid", "frame", "A frame is an object.")
    for field, known, code in (("envelope_version", {"1.0"}, "envelope-version-unsupported"), ("kind", PAYLOADS, "kind-unknown")):
        if field not in frame:
            raise Refusal("field-missing", field, f'"{field}" is required.')
        if not isinstance(frame[field], str):
            raise Refusal("field-invalid", field, f'"{field}" must be a string.')
        if frame[field] not in known:
            raise Refusal(code, field, f'There is no such "{field}" here.')
    refuse_first(list(FRAME.faults(frame, "")))
    if frame["drafted_with"] == frame["acted_by"]:
        raise Refusal("field-invalid", "drafted_with", "Who acts and what drafts are two handles.")
    check_payload(frame)
    return frame


def check_payload(frame):
    shape, payload = PAYLOADS[frame["kind"]], frame["payload"]
    if payload and not (set(payload) & (set(shape.rules) - shape.optional)):
        raise Refusal("payload-kind-mismatch", "payload", "This is the payload of another kind.")
    refuse_first(list(shape.faults(payload, "payload.")))
    if frame["kind"] == "agent_binding_moment":
        question = payload["question"]
        if question["recommended_idx"] >= len(question["options"]):
            raise Refusal("field-invalid", "payload.question.recommended_idx", "It names no option.")
        hatches = question.get("hatches", {})
        if not (hatches.get("free_text", True) or hatches.get("dialogue", True)):
            raise Refusal("field-invalid", "payload.question.hatches", "One of the hatches has to be open.")
    if frame["kind"] == "intent_declare":
        for name in ("acted_by", "drafted_with"):
            if payload[name] != frame[name]:
                raise Refusal("field-invalid", f"payload.{name}", "It has to be the frame's.")


def read_frame(source):
    """The frame that a text of JSON holds; each name once, and no more than 64 KiB."""
    def members(pairs):
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("a name twice")
        return dict(pairs)
    try:
        if len(source.encode()) > MAX_FRAME_OCTETS:
            raise Refusal("frame-too-large", "frame", f"A frame is {MAX_FRAME_OCTETS} octets at the most.")
        frame = json.loads(source, object_pairs_hook=members)
    except (ValueError, RecursionError) as error:
        raise Refusal("field-invalid", "frame", f"This is no JSON: {error}.") from error
    return check_frame(frame)


# -- 6: scopes

def read_scope(value, field="recipient_scope"):
    """The parts of a scope; a Refusal naming the field where it is none, or None without a field."""
    short = isinstance(value, str) and len(value.encode("utf-8", "replace")) <= 512
    for form, pattern in SCOPES.items() if short else ():
        match = pattern.match(value)
        if match and match["handle"].lstrip("~") != "org":
            return {"form": form, **match.groupdict()}
    if field is None:
        return None
    raise Refusal("field-invalid", field, "This is no scope.")


def scope_names(scope, session):
    """Whether a scope that was read names a session."""
    if scope["form"] != "handle" or scope["handle"] != session["handle"]:
        return False
    if scope["session"] is not None:
        return (scope["instrument"], scope["session"]) == (session["instrument"], session["session_id"])
    return session["instrument"].startswith(scope["prefix"] or "")


# -- 8: filters

AXES = {
    "kind": lambda value: value in PAYLOADS,
    "sender": lambda value: HANDLE.match(value),
    "content_type": lambda value: value,
    "tool": re.compile(r"[a-z0-9][a-z0-9-]{0,31}\Z").match,
    "org": lambda value: HANDLE.match("~" + value.removeprefix("~")) and not value.startswith("~~"),
}


def read_filter(expression):
    clauses = [clause.partition(":") for clause in expression.split(",")] if expression else []
    for axis, colon, value in clauses:
        if axis not in AXES:
            raise Refusal("filter-axis-unknown", "filter", f'There is no filter axis "{axis}".')
        if not colon or not AXES[axis](value):
            raise Refusal("filter-value-invalid", "filter", f'The axis "{axis}" does not take this value.')
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
        self._rest, self._started, self._id = b"", False, ""
        self._data, self._event = [], ""

    def feed(self, octets):
        self._rest += octets
        if not self._started and len(self._rest) >= 3:
            self._started, self._rest = True, self._rest.removeprefix(b"\xef\xbb\xbf")
        # A CR at the end may be half of a line end, unless nothing else can follow what it ends.
        while self._started and (match := re.search(rb"\r\n|\n|\r(?=.)", self._rest, re.DOTALL)):
            line, self._rest = self._rest[:match.start()], self._rest[match.end():]
            self._line(line.decode("utf-8", "replace"))

    def _line(self, line):
        if line == "":
            self.last_event_id = self._id
            if self._data:
                self.events.append({"event": self._event or "message", "data": "\n".join(self._data), "id": self._id})
            self._data, self._event = [], ""
            return
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and re.match(r"[0-9]+\Z", value):
            self.retry = int(value)


# -- 9: verbs

VERBS = {  # verb: kind, {argument: payload field}, what it makes by itself
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
        payload = {name: make() for name, make in made.items()}
        payload.update({names.get(name, name): value for name, value in arguments.items()})
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
        if self.principal not in (frame["sender_handle"],) or frame["acted_by"] != self.principal:
            raise Refusal("sender-identity-mismatch", "sender_handle", "You are somebody else.")
        named = read_scope(f"{frame['recipient_handle']}/*" if scope is None else scope)
        if named["form"] != "handle":
            raise Refusal("scope-unimplemented", "recipient_scope", "There are no organisations here.")
        if not named["handle"] == frame["recipient_handle"] == self.principal:
            raise Refusal("scope-unauthorised", "recipient_scope", "You may only address sessions of your own.")
        if frame["frame_id"] in self.results:
            former, count = self.results[frame["frame_id"]]
            if former != frame:
                raise Refusal("field-invalid", "frame_id", "Another frame has this id.")
            return {"recipient_count": count, "duplicate": True}
        reached = [stream for session, clauses, stream in self.subscriptions
                   if scope_names(named, session) and filter_admits(clauses, frame, tool)]
        for stream in reached:
            stream.append({"id": str(len(self.results) + 1), "frame": frame})
        self.results[frame["frame_id"]] = (frame, len(reached))
        return {"recipient_count": len(reached)}


def take(frames, now, horizon_ms=600_000):
    """Which of some frames a recipient takes: no malformed one, no stale one, none twice (14)."""
    seen, taken = set(), []
    for frame in frames:
        try:
            check_frame(frame)
            ends = moment(frame["created_at"]) + timedelta(milliseconds=frame.get("ttl_ms", horizon_ms))
            if frame["kind"] == "intent_declare":
                payload = frame["payload"]
                closes = moment(payload["declared_at"]) + timedelta(milliseconds=payload["ttl"])
                ends = min(ends, closes) if "ttl_ms" in frame else closes
            taken.append(ends > now and frame["frame_id"] not in seen)
            seen.add(frame["frame_id"])
        except Refusal:
            taken.append(False)
    return taken
