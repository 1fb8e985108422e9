"""``agentv eval``: pytest, with a run that is kept."""

from __future__ import annotations

import click
import pytest

from pytest_agentv.pytest_results import ARGUMENTS
from pytest_agentv.results.places import ROOT

_HELP = ("-h", "--help")
# We are loaded before pytest is; where warnings are errors, that would be one.
_OPTIONS = ("-W", "ignore:Module already imported:pytest.PytestAssertRewriteWarning")


class _PassedOn(click.Command):
    """A command that takes whatever it is given: pytest knows better what that means."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Look for help only."""
        if any(one in _HELP for one in args):
            return super().parse_args(ctx, ["--help"])
        ctx.params["arguments"] = tuple(args)
        return []


@click.command("eval", cls=_PassedOn, options_metavar="")
@click.argument("arguments", metavar="FILE... [PYTEST OPTIONS]", nargs=-1)
def command(arguments: tuple[str, ...]) -> None:
    """Grade sessions and keep the results: the same as pytest with --agentv-results.

    Everything is passed on to pytest: eval files or folders, --transcript, -k, -n and so on;
    --redact PROFILE is short for --agentv-redact.
    Results go to a new folder below .agentv/results, unless --agentv-results names another one,
    here or in the project's settings. The exit code is that of pytest.
    """
    given = [_of_pytest(one) for one in arguments]
    code = pytest.main([*_OPTIONS, *given], plugins=[_Kept(arguments)])
    raise click.exceptions.Exit(int(code))


def _of_pytest(argument: str) -> str:
    """The same option as other commands have, under the name that it has in pytest."""
    name, equals, value = argument.partition("=")
    return f"--agentv-redact{equals}{value}" if name == "--redact" else argument


class _Kept:
    """Keeps the run where the project does not say where."""

    def __init__(self, arguments: tuple[str, ...]) -> None:
        self._arguments = arguments

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Set the option before it is looked at."""
        config.stash[ARGUMENTS] = self._arguments
        given = config.getoption("agentv_results", None)
        if given is None and not config.getini("agentv_results"):
            config.option.agentv_results = str(ROOT)
