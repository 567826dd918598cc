"""Answers every question with the same words: python3 answer.py WORDS"""

import sys

import bus

if len(sys.argv) < 2:
    sys.exit(__doc__)

with bus.Session(title="answering") as session:
    for frame in session.frames("kind:agent_query", opened=lambda: print(session.address, flush=True)):
        query = frame["payload"]
        session.send("agent_respond", scope=query["response_scope"], query_id=query["query_id"],
                     responder_session_id=session.address.partition("@")[2], text=" ".join(sys.argv[1:]))
