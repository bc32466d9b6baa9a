"""Whether a webhook comes from the service."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence

from .types import Webhook


class WebhookError(ValueError):
    """The request is no webhook of the service, or too old. Answer it with 401."""


def verify_webhook(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Webhook:
    """
    The message, if one of the secrets (`whsec_…`) signed it and its time differs from ours by at most `tolerance` seconds.
    `body` is the unchanged body of the request. The header `webhook-id` is the same in each repetition: drop those that you know.
    """
    given = {name.lower(): value for name, value in headers.items()}
    message_id, sent = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    if not (sent.isascii() and sent.isdigit() and len(sent) < 16):
        raise WebhookError("The header webhook-timestamp is missing or is no time")
    signed = f"{message_id}.{sent}.".encode("utf-8", "surrogateescape") + body
    expected = [_signature(one, signed) for one in ([secret] if isinstance(secret, str) else secret)]
    # Several signatures while a secret is being rotated.
    signatures = given.get("webhook-signature", "").encode("utf-8", "surrogateescape").split()
    # Compares each pair, so that the time says nothing about which one fits.
    if sum(hmac.compare_digest(one, other) for one in expected for other in signatures) == 0:
        raise WebhookError("The signature does not fit")
    if abs((time.time() if now is None else now) - int(sent)) > tolerance:
        raise WebhookError("The webhook is too old, or from the future")
    return json.loads(body)


def _signature(secret: str, signed: bytes) -> bytes:
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    if not key:
        raise ValueError("The secret of the webhook is empty")
    return b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
