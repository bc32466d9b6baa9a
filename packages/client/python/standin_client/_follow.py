"""Follows the events of a bot or of a team, over as many connections as it takes."""

import http.client
import json
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import types
from ._http import StandinApiError, Transport

FIRST_PAUSE = 0.5
MAX_PAUSE = 15.0
#: The service sends a comment every 20 seconds; a connection without one is dead.
MAX_SILENCE = 60.0


class FollowedEvent(types.BotEvent):
    #: The place after this event, with which a later follower continues.
    cursor: str


class FollowedTeamEvent(FollowedEvent):
    bot_id: str


def follow(
    transport: Transport,
    path: str,
    chosen: Iterable[str] | None,
    cursor: str | None,
    on_partial: Callable[[types.BotEvent], object] | None,
    on_trouble: Callable[[StandinApiError], object] | None,
) -> Iterator[Any]:
    fixed = {"types": ",".join(chosen)} if chosen is not None else {}
    if on_partial is not None:
        fixed["partials"] = "true"
    failures = 0
    is_first = True
    while True:
        query = {**fixed, **({"cursor": cursor} if cursor else {})}
        try:
            with transport._open(_request(transport, path, query), MAX_SILENCE) as answer:
                is_first = False
                if answer.status == 204:
                    return
                for name, place, data in _messages(answer):
                    failures = 0
                    if name == "end":
                        return
                    event = json.loads(data)
                    if name == "partial":
                        if on_partial is not None:
                            on_partial(event)
                        continue
                    cursor = place
                    if name != "place":
                        yield {**event, "cursor": place}
            continue
        except StandinApiError as error:
            is_for_good = 400 <= error.status < 500 and error.status != 429
            if is_first or is_for_good:
                raise
            trouble = error
        except (OSError, http.client.HTTPException, ValueError) as error:
            trouble = StandinApiError(f"The stream of events broke off: {error}")
        if on_trouble is not None:
            on_trouble(trouble)
        transport._sleep(min(MAX_PAUSE, FIRST_PAUSE * 2**failures))
        failures += 1


def _request(transport: Transport, path: str, query: dict[str, str]) -> urllib.request.Request:
    url = f"{transport._base}{path}{'?' if query else ''}{urllib.parse.urlencode(query)}"
    return urllib.request.Request(url, None, {**transport._headers, "accept": "text/event-stream"})


def _messages(answer: Any) -> Iterator[tuple[str, str, str]]:
    """Name, id and data of each whole message; one that breaks off is none."""
    fields: dict[str, list[str]] = {}
    for line in answer:
        text = line.decode("utf-8").rstrip("\r\n")
        if not line.endswith(b"\n"):
            break
        if text == "":
            if "data" in fields:
                last = {name: values[-1] for name, values in fields.items()}
                yield last.get("event", "message"), last.get("id", ""), "\n".join(fields["data"])
            fields = {}
        elif not text.startswith(":"):
            name, _, value = text.partition(":")
            fields.setdefault(name, []).append(value.removeprefix(" "))
    raise http.client.IncompleteRead(b"") if fields else ConnectionResetError("the connection ended")
