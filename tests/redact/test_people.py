"""Persons, machines and places, and their pseudonyms."""

from __future__ import annotations

import os
import re
import stat
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from planted import KEY

from pytest_agentv.errors import OutputError
from pytest_agentv.redact import Redactor, key_path, load_key
from pytest_agentv.redact.spans import placeholder

if TYPE_CHECKING:
    from pathlib import Path


def research(text: str) -> str:
    return Redactor("research", key=KEY).text(text)


def test_the_same_user_has_the_same_pseudonym_everywhere() -> None:
    clean = research(
        "somebody@zephyr:~/x$ ls /home/somebody/a.py C:\\Users\\somebody\\b.txt "
        "-home-somebody- of Somebody"
    )
    assert "omebody" not in clean
    assert "zephyr" not in clean
    pseudonyms = re.findall(r"user-[0-9a-f]{12}", clean)
    assert (len(pseudonyms), len(set(pseudonyms))) == (5, 1)


def test_paths_keep_what_stands_below_a_home() -> None:
    assert research("/Users/somebody/app/src/auth.ts").endswith("/app/src/auth.ts")
    assert research("file:///home/somebody/app/x.py:12").endswith("/app/x.py:12")
    assert "somebody" not in research("/mnt/c/Users/somebody/app")


def test_strict_hides_names_below_a_home_and_keeps_extensions() -> None:
    clean = Redactor("strict", key=KEY).text("/home/somebody/taxes/2024.final.pdf")
    assert clean.startswith("/home/user-")
    assert clean.endswith(".pdf")
    assert "taxes" not in clean
    assert "2024" not in clean


def test_folders_that_are_in_no_home_have_one_pseudonym() -> None:
    redactor = Redactor("research", key=KEY)
    one, two = redactor.text("/srv/acme/a.py"), redactor.text("/srv/acme/b.py")
    assert one.startswith("/path-")
    assert one.replace("a.py", "b.py") == two
    assert "corp" not in research(r"see \\corp01\share\x.txt and D:\work\corp\y.txt")


def test_paths_of_the_system_are_left_alone() -> None:
    text = "/usr/lib/python3.11/re.py /etc/hosts /tmp/x /dev/null /api/v1/users"
    assert research(text) == text


def test_addresses_are_replaced_and_loopback_is_not() -> None:
    clean = research("10.1.2.3, fe80::1ff:fe23:4567:890a, dev@corp.example and 127.0.0.1 ::1")
    assert clean.count("ip-") == 2
    assert "email-" in clean
    assert clean.endswith("127.0.0.1 ::1")


@pytest.mark.parametrize("address", ["10.1.2.3", "fe80::1ff:fe23:4567:890a"])
def test_an_address_of_either_kind_is_replaced_where_it_stands_alone(address: str) -> None:
    assert re.fullmatch(r"from ip-[0-9a-f]{12} on", research(f"from {address} on"))


@pytest.mark.parametrize("name", ["user", "Runner", "1000", "me"])
def test_what_everybody_may_be_called_is_replaced_in_no_text(name: str) -> None:
    text = f"{name} and no other"
    assert research(f"/home/{name}/x\n{text}").endswith(f"\n{text}")


def test_a_line_seen_before_is_looked_at_again_once_more_names_are_known() -> None:
    redactor = Redactor("research", key=KEY)
    line = "/home/somebody/x is for cafe"
    assert redactor.text(line).endswith(" is for cafe")
    redactor.text("/home/cafe/y")
    assert re.fullmatch(r"/home/user-\w{12}/x is for user-\w{12}", redactor.text(line))


def test_a_pseudonym_is_nobodys_name() -> None:
    clean = research("/home/somebody/x by somebody")
    assert research(f"{clean}\n{clean}") == f"{clean}\n{clean}"


@pytest.mark.parametrize(
    "text",
    [
        "icon@2x.png",
        "git@github.com:acme/app.git",
        "at 12:34:56",
        "v1.2.3",
        "std::dead::beef",
        "a@1.2.3",
    ],
)
def test_what_is_no_address_is_left_alone(text: str) -> None:
    assert research(text) == text


def test_secrets_leaves_persons_alone() -> None:
    text = "somebody@zephyr:~$ cat /home/somebody/x 10.1.2.3 dev@corp.example"
    assert Redactor("secrets").text(text) == text


def test_another_key_gives_other_pseudonyms() -> None:
    assert research("/home/somebody/x") != Redactor("research", key=b"other").text(
        "/home/somebody/x"
    )


def test_the_key_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "config" / "agentv" / "redact.key"
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: load_key(path), range(16)))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert [one.name for one in path.parent.iterdir()] == ["redact.key"]
    if os.name != "nt":  # which has no such modes
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_key_lies_in_the_config_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("APPDATA", str(tmp_path))
    assert key_path() == tmp_path / "agentv" / "redact.key"
    assert Redactor("research").text("/home/somebody/x") == Redactor("research").text(
        "/home/somebody/x"
    )
    monkeypatch.setenv("AGENTV_REDACT_KEY_FILE", str(tmp_path / "own"))
    assert key_path() == tmp_path / "own"


def test_without_a_home_the_key_says_where_it_could_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("APPDATA", raising=False)

    def homeless() -> None:
        raise RuntimeError("no home")

    monkeypatch.setattr("pathlib.Path.home", homeless)
    with pytest.raises(OutputError, match="AGENTV_REDACT_KEY_FILE"):
        key_path()


def test_a_file_that_is_no_key_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("nonsense")
    with pytest.raises(OutputError, match="64 hexadecimal digits"):
        load_key(path)
    with pytest.raises(OutputError, match="the key of the pseudonyms"):
        load_key(tmp_path)


def test_a_key_is_made_where_there_are_no_hard_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(os, "link", refused)
    assert load_key(tmp_path / "key") == load_key(tmp_path / "key")


def test_a_password_with_a_name_in_it_is_a_password_as_a_whole() -> None:
    once = Redactor("research", key=KEY).value({"pass": "carol@shop.io-x9Kq", "login": "a@b.io"})
    assert once["pass"] == placeholder("password")
    assert once["login"].startswith("email-")
    assert Redactor("research", key=KEY).value(once) == once


def test_a_pseudonym_is_no_key_whatever_its_name_is() -> None:
    once = Redactor("research", key=KEY).value({"private_key": "0@0.AA:"})
    assert once["private_key"].startswith("email-")
    assert Redactor("research", key=KEY).value(once) == once
