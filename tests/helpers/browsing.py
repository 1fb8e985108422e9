"""A browser that a test drives: keys in, the text of its screen out."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_agentv.browse.actions import Actions
from pytest_agentv.browse.app import Browser
from pytest_agentv.cli.indexed import bring_up_to_date, configured
from pytest_agentv.config import load_config
from pytest_agentv.plugins import registry

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from threading import Event

    from textual.pilot import Pilot

_SIZE = (110, 30)
_PATIENCE = 200


class Driver:
    """Somebody at a browser."""

    def __init__(self, app: Browser, pilot: Pilot[None]) -> None:
        self.app = app
        self._pilot = pilot

    async def press(self, *keys: str) -> None:
        await self._pilot.press(*keys)
        await self._pilot.pause()

    async def type(self, text: str) -> None:
        names = {" ": "space", ":": "colon", '"': "quotation_mark", "-": "minus", "*": "asterisk"}
        await self.press(*(names.get(one, one) for one in text))

    @property
    def screen(self) -> str:
        """What is on the screen, line by line."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips()
        assert len(strips) == height
        return "\n".join("".join(one.text for one in strip)[:width].rstrip() for strip in strips)

    async def until(self, what: str | Callable[[], bool]) -> None:
        """Wait until something is on the screen, or is so."""
        for _ in range(_PATIENCE):
            if what in self.screen if isinstance(what, str) else what():
                return
            await self._pilot.pause(0.05)
        raise AssertionError(f"never came: {what}\n{self.screen}")

    async def settled(self) -> None:
        """Wait until the index is up to date and the list is drawn."""
        await self.until(lambda: self.app._progress is None)
        await self.until(lambda: all(one.is_finished for one in self.app.workers))
        await self._pilot.pause()


def _update(_: Event) -> None:
    bring_up_to_date(configured())


def browse(
    scenario: Callable[[Driver], Awaitable[None]],
    *,
    query: str = "",
    size: tuple[int, int] = _SIZE,
    update: Callable[[Event], str | None] | None = None,
    **options: Any,
) -> Browser:
    """Open a browser as the command does, and let somebody use it.

    Unless ``update`` says how, the index is brought up to date by the same command, but here.
    """
    config = load_config(Path.cwd(), os.environ)
    actions = Actions(registry(), Path(".agentv") / "transcripts", **options)
    app = Browser(config.index_path, actions, update=update or _update, query=query)

    async def run() -> None:
        async with app.run_test(size=size, notifications=True) as pilot:
            driver = Driver(app, pilot)
            await driver.settled()
            await scenario(driver)
            await driver.until(lambda: all(one.is_finished for one in app.workers))

    asyncio.run(run())
    return app
