"""A script of an eval file: the tests were run until they passed, and not too often.

It reads the session as JSON, and prints what it looked at as JSON. Its settings are the keys of
its entry that are no keys of pytest-agentv: `like` and `most`.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    data = json.load(sys.stdin)
    like, most = data["config"]["like"], data["config"]["most"]
    calls = [call for message in data["messages"] for call in message.get("tool_calls", [])]
    runs = [call for call in calls if like in json.dumps(call.get("input"))]
    passing = bool(runs) and runs[-1]["status"] == "ok"
    times = f"{len(runs)} of at most {most} times"
    checks = [
        {"text": "the last run passed", "pass": passing, "reason": f"{len(runs)} runs"},
        {"text": "the tests were not run too often", "pass": len(runs) <= most, "reason": times},
    ]
    json.dump({"checks": checks}, sys.stdout)


if __name__ == "__main__":
    main()
