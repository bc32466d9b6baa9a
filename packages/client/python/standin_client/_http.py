"""Requests to the service: errors, repetitions, pages, files."""

import http.client
import json
import os
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar, cast

from ._version import VERSION

T = TypeVar("T")

#: An answer that asks for a longer wait is an error at once.
MAX_WAIT = 60.0
CHUNK = 1 << 20


class StandinApiError(Exception):
    """A request that the service refused, or that did not reach it."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        details: str | None = None,
        problems: tuple[dict[str, str], ...] = (),
        was_sent: bool = True,
    ):
        known = ", ".join(filter(None, [code, request_id and f"request {request_id}"]))
        said = f"{message.removesuffix('.')}: {details}" if details else message
        super().__init__(f"{said} ({known})" if known else said)
        #: One sentence.
        self.message = message
        #: Of the HTTP answer; 0 if there was none.
        self.status = status
        #: Such as `FST_ERR_VALIDATION`; decide by it, not by the sentence.
        self.code = code
        #: Is in each log line of the service about the request.
        self.request_id = request_id
        #: Seconds to wait before the same request may succeed; None: the service did not say.
        self.retry_after = retry_after
        #: Further words of the service, if there are any.
        self.details = details
        #: With 400: where a part of the request is wrong (`path`), and why (`message`).
        self.problems = problems
        #: False if the service cannot have seen the request.
        self.was_sent = was_sent


class Page(Generic[T]):
    """`items` of one answer. Iterating goes on to the pages after it, and asks for each when it is needed."""

    def __init__(self, items: list[T], cursor: str | None, read: Callable[[str], "Page[T]"], ends_empty: bool):
        self.items = items
        #: Of the next page; None: there is none.
        self.cursor = cursor
        self._read = read
        self._ends_empty = ends_empty

    def next_page(self) -> "Page[T] | None":
        return None if self.cursor is None else self._read(self.cursor)

    def __iter__(self) -> Iterator[T]:
        page: Page[T] | None = self
        while page is not None:
            yield from page.items
            # Events have a cursor for ever: an empty page is the end for now. A page of a list may be empty in between.
            page = None if self._ends_empty and not page.items else page.next_page()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Another host must not get the key."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> None:
        return None


class Transport:
    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        *,
        timeout: float = 30,
        retries: int = 4,
        headers: Mapping[str, str] | None = None,
        sleep: Callable[[float], object] = time.sleep,
    ):
        self._base = _checked(base_url or os.environ.get("STANDIN_URL") or "http://127.0.0.1:8080").rstrip("/")
        key = (api_key or os.environ.get("STANDIN_API_KEY") or "").strip()
        self._headers = {
            "accept": "application/json",
            "user-agent": f"standin-client-python/{VERSION}",
            **({"x-service-api-key": key} if key else {}),
            **(headers or {}),
        }
        self._timeout = timeout
        self._retries = retries
        self._sleep = sleep
        self._opener = urllib.request.build_opener(_NoRedirects)

    def _ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        creates: bool = False,
        idempotency_key: str | None = None,
    ) -> Any:
        """The body of the answer. Repeats the request if that is safe."""
        headers = dict(self._headers)
        if creates:
            headers["idempotency-key"] = idempotency_key or str(uuid.uuid4())
        data = None
        if body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            headers["content-type"] = "application/json"
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        url = f"{self._base}{path}{'?' if given else ''}{urllib.parse.urlencode(given)}"
        request = urllib.request.Request(url, data, headers, method=method)
        tries = 0
        while True:
            try:
                return self._read(request)
            except StandinApiError as error:
                wait = _wait_before_repeating(error, tries, creates or method == "GET")
                if wait is None or tries >= self._retries:
                    raise
            tries += 1
            self._sleep(wait)

    def _read(self, request: urllib.request.Request) -> Any:
        with self._open(request) as answer:
            try:
                return json.loads(answer.read())
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise StandinApiError(f"The answer of the service broke off or is no JSON: {error}") from error

    def _list(self, path: str, query: Mapping[str, Any], *, ends_empty: bool = False) -> "Page[Any]":
        def read(cursor: str) -> "Page[Any]":
            return self._list(path, {**query, "cursor": cursor}, ends_empty=ends_empty)

        answer = self._ask("GET", path, query=query)
        return Page(answer["data"], answer["cursor"], read, ends_empty)

    def download(self, link: str, path: "str | os.PathLike[str]") -> int:
        """
        Stores the file of a link, such as `bot["video"]`, and returns its size. It gets its name once it is whole. Links work for
        four hours; get the bot again for new ones.
        """
        part = f"{os.fspath(path)}.part"
        try:
            with self._open(urllib.request.Request(_checked(link))) as answer, open(part, "wb") as file:
                size = 0
                while chunk := answer.read(CHUNK):
                    size += file.write(chunk)
            expected = answer.headers.get("content-length")
            if expected is not None and size != int(expected):
                raise StandinApiError(f"{size} of {expected} bytes arrived")
            os.replace(part, path)
            return size
        finally:
            if os.path.exists(part):
                os.remove(part)

    def _open(self, request: urllib.request.Request, timeout: float | None = None) -> http.client.HTTPResponse:
        try:
            return self._opener.open(request, timeout=timeout or self._timeout)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise _refusal(refusal) from None
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            never_sent = isinstance(reason, (ConnectionRefusedError, socket.gaierror))
            raise StandinApiError(f"The service could not be reached: {reason}", was_sent=not never_sent) from error


def _checked(address: str) -> str:
    # urllib opens files too.
    if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
        raise ValueError(f"{address!r} does not begin with http:// or https://")
    return address


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, cast(list[Any], value)))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refusal(answer: urllib.error.HTTPError) -> StandinApiError:
    try:
        body: Any = json.loads(answer.read(CHUNK))
    except (OSError, http.client.HTTPException, ValueError):
        body = None
    said = cast(dict[str, Any], body) if isinstance(body, dict) else {}
    try:
        retry_after = float(answer.headers.get("retry-after", ""))
    except ValueError:
        retry_after = None
    problems: list[dict[str, str]] = said.get("problems") or []
    return StandinApiError(
        said.get("message") or f"The service answered {answer.code}",
        status=answer.code,
        code=said.get("code"),
        request_id=answer.headers.get("x-request-id"),
        retry_after=retry_after,
        details=said.get("details"),
        problems=tuple(problems),
    )


def _wait_before_repeating(error: StandinApiError, tries: int, is_repeatable: bool) -> float | None:
    """Seconds; None if a repetition is not safe or cannot help."""
    was_refused = error.status == 429 or not error.was_sent
    # 409 with a time: the first request with this idempotency key is still being answered.
    may_help = error.status in (0, 502, 503, 504) or (error.status == 409 and error.retry_after is not None)
    if not was_refused and not (is_repeatable and may_help):
        return None
    if error.retry_after is not None:
        return error.retry_after if 0 <= error.retry_after <= MAX_WAIT else None
    return min(8.0, 0.5 * 2**tries) * random.uniform(0.5, 1)
