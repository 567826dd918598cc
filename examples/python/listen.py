"""Prints what is sent to this session: python3 listen.py [FILTER]"""

import sys

import bus

with bus.Session(title="listening") as session:
    for frame in session.frames(sys.argv[1] if len(sys.argv) > 1 else "", opened=lambda: print(session.address, flush=True)):
        words = next(value for name, value in frame["payload"].items() if isinstance(value, str) and not name.endswith("_id"))
        print(f"{frame['kind']} by {frame['drafted_with']}: {words}", flush=True)
