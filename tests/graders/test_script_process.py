"""Programs of eval files: none outlives its time, floods us, or leaves anything behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from grading import answer

from pytest_agentv.errors import NotGradable

if TYPE_CHECKING:
    from scripts import Scripts

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="it needs process groups")
LINUX = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="it needs /proc")

# A program that starts another one, which writes its number down and stays.
PARENT = """
import subprocess, sys, time
child = "import os, time; open('child', 'w').write(str(os.getpid())); time.sleep(600)"
subprocess.Popen([sys.executable, "-S", "-c", child], start_new_session={apart})
while True:
    try:
        if open("child").read():
            break
    except OSError:
        pass
    time.sleep(0.01)
"""


def gone(pid: int) -> bool:
    """Whether a process ends soon; nobody may have waited for it yet."""
    for _ in range(500):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat")
            if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False


def child_of(scripts: Scripts) -> int:
    return int((scripts.folder / "child").read_text(encoding="utf-8"))


def test_a_script_that_does_not_end_is_stopped_and_an_error(scripts: Scripts) -> None:
    with pytest.raises(NotGradable, match=r"it did not end within 0\.3 seconds, and was stopped"):
        scripts.grade("import time; time.sleep(600)", timeout=0.3)


@POSIX
def test_the_children_of_a_script_that_is_stopped_are_stopped_with_it(scripts: Scripts) -> None:
    code = PARENT.format(apart=False) + "while True: print('x' * 100_000)"
    with pytest.raises(NotGradable, match="it printed more than 10 MiB"):
        scripts.grade(code)
    assert gone(child_of(scripts))


@POSIX
def test_a_child_that_is_left_behind_holds_nobody_up_and_is_stopped(scripts: Scripts) -> None:
    assert scripts.grade(PARENT.format(apart=False) + "print('done')").reason == "exit code 0: done"
    assert gone(child_of(scripts))


@LINUX
def test_a_child_that_left_the_group_is_stopped_too(scripts: Scripts) -> None:
    assert scripts.grade(PARENT.format(apart=True) + "print('done')").reason == "exit code 0: done"
    assert gone(child_of(scripts))


@POSIX
def test_a_script_that_ignores_signals_is_stopped(scripts: Scripts) -> None:
    code = """
    import signal, time
    for one in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    time.sleep(600)
    """
    with pytest.raises(NotGradable, match="was stopped"):
        scripts.grade(code, timeout=0.3)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
@pytest.mark.parametrize("loop", ["while True", "for _ in range(110)"])
def test_a_flood_is_an_error(scripts: Scripts, stream: str, loop: str) -> None:
    code = f"import sys\n{loop}: sys.{stream}.write('x' * 100_000)"
    with pytest.raises(NotGradable, match="it printed more than 10 MiB"):
        scripts.grade(code)


def test_a_lot_of_output_is_read(scripts: Scripts) -> None:
    code = """
    import json, sys
    sys.stderr.write("y" * 5_000_000)
    print(json.dumps({"pass": False, "reason": "long", "details": {"x": "x" * 5_000_000}}))
    """
    assert scripts.grade(code).reason == "long"


def test_a_script_need_not_read_its_input(scripts: Scripts) -> None:
    grade = scripts.grade("import sys; sys.stdin.close(); print('deaf')")
    assert grade.reason == "exit code 0: deaf"


def test_output_that_is_no_text_is_shown_as_far_as_it_goes(scripts: Scripts) -> None:
    code = r"import sys; sys.stdout.buffer.write(b'\xef\xbb\xbfa\xff\r\nb')"
    assert scripts.grade(code).reason == "exit code 0: a\N{REPLACEMENT CHARACTER} b"


def test_an_answer_that_does_not_fit_is_handed_over_in_a_file_that_is_gone_afterwards(
    scripts: Scripts, tmp_path: Path
) -> None:
    code = """
    import json, sys
    given = json.load(sys.stdin)
    text = json.load(open(given["output_path"]))
    open("where", "w").write(given["output_path"])
    print(len(given), given["output"], len(text))
    """
    grade = scripts.grade(code, answer("ä" * 60_000))
    assert grade.reason == "exit code 0: 18 None 60000"
    where = Path((tmp_path / "where").read_text(encoding="utf-8"))
    assert not where.parent.exists()


@POSIX
def test_an_interrupt_stops_the_script(scripts: Scripts) -> None:
    number = scripts.folder / "child"

    def interrupt_when_it_runs() -> None:
        while not (number.exists() and number.read_text(encoding="utf-8")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    code = "import os, time; open('child', 'w').write(str(os.getpid())); time.sleep(600)"
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=interrupt_when_it_runs, daemon=True).start()
        with pytest.raises(KeyboardInterrupt):
            scripts.grade(code)
    finally:
        signal.signal(signal.SIGINT, before)
    assert gone(child_of(scripts))
