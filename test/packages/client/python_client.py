"""What the test in Node asks of the installed client: each line of standard input names a function and has its values."""

import itertools
import json
import sys
import threading
import traceback
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from standin_client import Client, StandinApiError, WebhookError, verify_webhook


def refusal(work):
    try:
        work()
    except StandinApiError as error:
        return error
    raise AssertionError("The request was not refused")


def service(given):
    """Against the real API."""
    client = Client(f"{given['url']}/", f"{given['key']}\n")
    meeting = given["meeting"]
    ids = [client.create_bot(meeting_url=meeting, bot_name=f"Bot {n}", extra={"n": str(n)})["bot_id"] for n in range(5)]
    bot = client.get_bot(ids[0])
    assert (bot["bot_id"], bot["bot_name"], bot["status"], bot["extra"]) == (ids[0], "Bot 0", "queued", {"n": "0"}), bot
    first = client.list_bots(limit=2)
    assert not client.list_bots(status=["completed", "failed"]).items and client.list_bots(status="queued").items
    assert len(first.items) == 2 and first.cursor is not None
    assert [one["bot_id"] for one in first] == ids[::-1], "pages"
    assert list(client.list_events(ids[0])) == [], "a page without events is the end"
    same = [client.create_bot(meeting_url=meeting, bot_name="Once", idempotency_key="one")["bot_id"] for _ in range(2)]
    assert same[0] == same[1], "idempotency key"
    later = client.schedule_bot(meeting_url=meeting, bot_name="Later", join_at=given["later"])["bot_id"]
    assert [one["bot_id"] for one in client.list_scheduled_bots()] == [later]
    client.change_scheduled_bot(later, bot_name="Even later")
    assert client.get_scheduled_bot(later)["bot_name"] == "Even later"
    client.cancel_scheduled_bot(later)
    batch = client.create_bots([{"meeting_url": meeting, "bot_name": "One"}, {"meeting_url": "nowhere"}])
    assert [len(batch["data"]), len(batch["errors"])] == [1, 1], batch
    client.leave(ids[0])
    assert client.update_config(ids[1], extra={"more": "x"})
    assert client.get_timeline(ids[1])[0]["sentence"]

    error = refusal(lambda: client.get_bot("00000000-0000-4000-8000-000000000000"))
    assert (error.status, error.code) == (404, "FST_ERR_BOT_NOT_FOUND_BY_ID")
    assert error.request_id and error.code in str(error) and error.request_id in str(error), error
    error = refusal(lambda: client.create_bot(meeting_url=meeting, bot_name=""))
    assert error.status == 400 and error.problems[0]["path"] == "body/bot_name", error.problems
    error = refusal(lambda: client.get_bot("../bots"))
    assert error.status == 400, "a part of a path stays one part"
    error = refusal(lambda: Client(given["url"], "none").list_bots())
    assert error.status == 401 and given["key"] not in str(error)
    return ids


def webhooks(given):
    verify = lambda **changes: verify_webhook(**{**common, **changes})
    body = given["body"].encode()
    common = {"secret": given["secret"], "headers": given["headers"], "body": body, "now": given["now"]}
    assert verify()["event"] == "bot.completed"
    assert verify(headers={name.title(): value for name, value in given["headers"].items()}), "names of headers"
    assert verify(secret=[given["other"], given["secret"]]), "one of several secrets"
    assert verify(now=given["now"] + 299) and verify(now=given["now"] - 299)
    forged = {name: value.replace("v1,", "v2,") for name, value in given["headers"].items()}
    wrong = [
        {"body": body + b" "},
        {"secret": given["other"]},
        {"secret": []},
        {"now": given["now"] + 301},
        {"now": given["now"] - 301},
        {"headers": {}},
        {"headers": {**given["headers"], "webhook-id": "msg_other"}},
        {"headers": {**given["headers"], "webhook-signature": ""}},
        {"headers": {**given["headers"], "webhook-timestamp": "²"}},
        {"headers": forged},
    ]
    for changes in wrong:
        try:
            verify(**changes)
        except WebhookError:
            continue
        raise AssertionError(f"Accepted with {changes}")
    try:
        verify(secret="whsec_")
    except ValueError:
        return None
    raise AssertionError("An empty secret was accepted")


class Server:
    """Answers with these statuses, headers and bodies one after the other; None breaks the connection off."""

    def __init__(self, *answers):
        seen = self.seen = []
        rest = list(answers)

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("content-length", 0))
                names = {name.lower(): value for name, value in self.headers.items()}
                seen.append((self.command, self.path, names, self.rfile.read(length)))
                if (one := rest.pop(0)) is None:
                    return self.connection.close()
                status, headers, body = one
                self.send_response(status)
                for name, value in {"content-length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer
            log_message = lambda *_: None

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.waits = []
        self.client = Client(self.url, "secret-key", retries=2, sleep=self.waits.append)


GOOD = (200, {}, b'{"success": true, "data": {"bot_id": "b", "message": "m"}}')


def busy(status=429, **headers):
    return status, {name.replace("_", "-"): value for name, value in headers.items()}, b"{}"


def repetitions(given):
    create = lambda server: server.client.create_bot(meeting_url="m", bot_name="n")["bot_id"]
    server = Server(busy(retry_after="7"), busy(503), GOOD)
    assert create(server) == "b"
    assert server.waits[0] == 7 and 0.5 <= server.waits[1] <= 1, server.waits
    keys = {headers["idempotency-key"] for _, _, headers, _ in server.seen}
    assert len(keys) == 1 and len({body for *_, body in server.seen}) == 1, "the same key and body in each try"
    assert create(Server(None, (200, {"content-length": "99"}, b"{"), GOOD)) == "b", "broken answers"
    assert create(Server(busy(409, retry_after="1"), GOOD)) == "b", "the first request is still being answered"
    assert Server(None, GOOD).client.get_bot("b"), "reading"

    def refused(status, work, *answers):
        server = Server(*answers)
        assert refusal(lambda: work(server)).status == status
        assert len(server.seen) == len(answers), (len(server.seen), answers)
        return server

    refused(429, create, busy(), busy(), busy())
    refused(503, create, busy(503, retry_after="3600"))
    refused(409, create, busy(409))
    refused(500, create, busy(500))
    leave = lambda server: server.client.leave("b")
    refused(0, leave, None)
    refused(503, leave, busy(503))
    assert leave(Server(busy(), GOOD))["message"] == "m", "429 refused it before it did anything"
    waits = []
    error = refusal(lambda: Client("http://127.0.0.1:9", "k", retries=3, sleep=waits.append).leave("b"))
    assert (error.status, error.was_sent, len(waits)) == (0, False, 3), "nothing listens there"
    # A redirect would carry the key to another host.
    elsewhere = Server(GOOD)
    for status in given["redirects"]:
        for work in (lambda server: server.client.get_bot("b"), create):
            refused(status, work, busy(status, location=elsewhere.url))
    assert elsewhere.seen == []
    for address in ("file:///etc/passwd", "bots.example.com"):
        try:
            Client(address, "k")
        except ValueError:
            continue
        raise AssertionError(address)


def stream(given):
    """Against the real API: a bot that has ended."""
    client = Client(given["url"], given["key"])
    events = list(client.follow_events(given["bot"], types=["notice"]))
    assert [event["data"]["message"] for event in events] == given["messages"], events
    rest = list(client.follow_events(given["bot"], types=["notice"], cursor=events[0]["cursor"]))
    assert [event["data"]["message"] for event in rest] == given["messages"][1:], rest
    assert list(client.follow_events(given["bot"], cursor=rest[-1]["cursor"], types=["notice"])) == []
    followed = list(itertools.islice(client.follow_team(types=["notice"], cursor="0"), 3))
    assert [(event["bot_id"], event["data"]["message"]) for event in followed] == [(given["bot"], one) for one in given["messages"]]
    assert refusal(lambda: next(client.follow_events("00000000-0000-4000-8000-000000000000"))).status == 404


def following(given):
    def message(place, name="message", **data):
        head = f"event: {name}\n" if name != "message" else ""
        return f"{head}id: {place}\ndata: {json.dumps({'type': 'notice', 'data': data})}\n\n".encode()

    def answer(*parts):
        body = b": comment\n\n" + b"".join(parts)
        # It ends before all that was announced has come.
        return 200, {"content-type": "text/event-stream", "content-length": str(len(body) + 99)}, body

    server = Server(
        answer(message("p1", n=1), message("", name="partial", text="go"), message("p2", n=2)[:-9]),
        None,
        busy(503),
        answer(message("p2", n=2), message("p3", n=3), message("p3", name="end")),
    )
    partials, troubles = [], []
    events = list(server.client.follow_events("b", on_partial=partials.append, on_trouble=troubles.append))
    assert [(event["cursor"], event["data"]["n"]) for event in events] == [("p1", 1), ("p2", 2), ("p3", 3)], events
    assert [one["data"]["text"] for one in partials] == ["go"]
    assert len(troubles) == 3 and server.waits == [0.5, 1, 2], (troubles, server.waits)
    assert [path.partition("?")[2] for _, path, *_ in server.seen] == ["partials=true"] + ["partials=true&cursor=p1"] * 3
    assert list(Server((204, {}, b"")).client.follow_events("b", cursor="p9")) == []
    later = Server(answer(message("p1", n=1)), busy(401))
    follower = later.client.follow_events("b")
    next(follower)
    assert refusal(lambda: next(follower)).status == 401, "a revoked key is no outage"


def downloads(given):
    target = Path(given["folder"]) / "video.mp4"
    server = Server((200, {}, b"x" * 3_000_000), (200, {"content-length": "10"}, b"x"), busy(403))
    assert server.client.download(f"{server.url}/video", target) == 3_000_000 == target.stat().st_size
    assert "x-service-api-key" not in server.seen[0][2], "the storage must not get the key"
    target.unlink()
    for _ in range(2):
        refusal(lambda: server.client.download(f"{server.url}/video", target))
        assert list(target.parent.iterdir()) == [], "a broken file has no name"


for line in sys.stdin:
    name, given = json.loads(line)
    try:
        answer = {"answer": globals()[name](given)}
    except Exception:
        answer = {"error": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
