"""Asks every session and prints the answers: python3 ask.py QUESTION [SECONDS]"""

import sys

import bus

if len(sys.argv) < 2:
    sys.exit(__doc__)
question, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 5.0


def ask(session, asked):
    """Once the stream for the answers is open."""
    frame, count = session.send("agent_query", text=question, response_scope=session.address, timeout_ms=int(seconds * 1000))
    asked.append((frame["payload"]["query_id"], count))


with bus.Session(title="asking") as session:
    asked = []
    for frame in session.frames("kind:agent_response", seconds, opened=lambda: ask(session, asked)):
        if frame["payload"]["query_id"] == asked[0][0]:
            print(f"{frame['payload']['responder_session_id']}: {frame['payload']['response_text']}", flush=True)
            break
    else:
        count = asked[0][1]
        sys.exit(f"nobody answered within {seconds:g} s; asked: {count}" if count else "nobody is there to be asked")
