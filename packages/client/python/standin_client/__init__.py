"""Typed client of the Standin API. `Client` has a method for each operation of `/v2`."""

from . import types
from ._follow import FollowedEvent, FollowedTeamEvent, follow as _follow
from ._http import Page, StandinApiError
from ._operations import Operations
from ._version import VERSION as __version__
from .webhooks import WebhookError, verify_webhook

import time as _time
from urllib.parse import quote as _quote
from collections.abc import Callable as _Callable, Iterable as _Iterable, Iterator as _Iterator

__all__ = ["Client", "FollowedEvent", "FollowedTeamEvent", "Page", "StandinApiError", "WebhookError", "types", "verify_webhook", "__version__"]


class Client(Operations):
    """
    A service, such as `Client("https://bots.example.com", "standin_…")`. Without address and key those of `STANDIN_URL` and
    `STANDIN_API_KEY`. May be used by several threads.
    """

    def wait_for_end(self, bot_id: str, *, timeout: float | None = None, every: float = 5) -> types.Bot:
        """The bot once it is `completed` or `failed`; asks every few seconds. Raises `TimeoutError` after `timeout` seconds."""
        ends_at = None if timeout is None else _time.monotonic() + timeout
        while True:
            bot = self.get_bot(bot_id)
            if bot["status"] in ("completed", "failed"):
                return bot
            if ends_at is not None and _time.monotonic() + every > ends_at:
                raise TimeoutError(f"Bot {bot_id} has not ended after {timeout} s; its status is {bot['status']}")
            _time.sleep(every)

    def follow_events(
        self,
        bot_id: str,
        *,
        types: _Iterable[str] | None = None,
        cursor: str | None = None,
        on_partial: _Callable[[types.BotEvent], object] | None = None,
        on_trouble: _Callable[[StandinApiError], object] | None = None,
    ) -> _Iterator[FollowedEvent]:
        """
        Each event of the bot once and in order, as it comes, until the bot has ended. Connections that fail are opened again;
        `on_trouble` gets each failure. `cursor` is that of the last event that is known. `on_partial` gets words that may still
        change: those with the same `data["id"]` replace each other, until they come as an event. Raises `StandinApiError` if
        the service refuses the first connection, or a later one for good.
        """
        path = f"/v2/bots/{_quote(bot_id, safe='')}/events/stream"
        return _follow(self, path, types, cursor, on_partial, on_trouble)

    def follow_team(
        self,
        *,
        types: _Iterable[str] | None = None,
        cursor: str | None = None,
        on_trouble: _Callable[[StandinApiError], object] | None = None,
    ) -> _Iterator[FollowedTeamEvent]:
        """The events of all bots of the team in the same way, without an end: what is new, or everything after `cursor`."""
        return _follow(self, "/v2/events/stream", types, cursor, None, on_trouble)
