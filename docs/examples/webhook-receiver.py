# Receives the webhooks of Standin: checks each signature, drops repetitions, prints each message. Python 3.8 or newer.
#   WEBHOOK_SECRET=whsec_… python3 docs/examples/webhook-receiver.py 9000
import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BYTES = 10_000_000
key = base64.b64decode(os.environ.get("WEBHOOK_SECRET", "").replace("whsec_", "", 1))
if not key:
    print("Set WEBHOOK_SECRET to the secret of the endpoint, which begins with whsec_", file=sys.stderr)
    sys.exit(2)
seen = set()  # In a real receiver: a table with a unique column.


def is_genuine(headers, body):
    message, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not sent.isdigit() or abs(time.time() - int(sent)) >= 300:
        return False
    digest = hmac.new(key, f"{message}.{sent}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    # Several signatures while a secret is being rotated.
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(expected.encode(), one.encode()) for one in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length) if length <= MAX_BYTES else b""
        if not is_genuine(self.headers, body):
            name = self.headers.get("webhook-id", "a request without webhook-id")
            print(f"Refused {name}: wrong secret, or too old", file=sys.stderr)
            return self.answer(401)
        self.answer(204)  # Answer first, then process: an attempt may take 30 seconds at most.
        if self.headers["webhook-id"] in seen:
            return
        seen.add(self.headers["webhook-id"])
        message = json.loads(body)
        data = message["data"]
        news = {
            "bot.status_change": data.get("status", {}).get("code"),
            "bot.completed": data.get("video"),
            "bot.failed": data.get("error_code"),
        }
        print(message["event"], data.get("bot_id"), news.get(message["event"]) or "", flush=True)

    def answer(self, status):
        self.send_response(status)
        self.send_header("content-length", "0")
        self.end_headers()
        self.wfile.flush()

    def log_message(self, *_):
        pass


try:
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 9000), Receiver)
except OSError as error:
    sys.exit(str(error))
print(f"Listening on http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
