"""Typed client of the Standin API. `Client` has a method for each operation of `/v2`."""

from . import types
from ._http import Page, StandinApiError
from ._operations import Operations
from ._version import VERSION as __version__
from .webhooks import WebhookError, verify_webhook

import time as _time

__all__ = ["Client", "Page", "StandinApiError", "WebhookError", "types", "verify_webhook", "__version__"]


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
