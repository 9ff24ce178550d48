import base64
import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 15


def verify(api_key: str, headers: dict[str, str], body: bytes) -> str:
    """The signature in the headers covers the whole body: pass the raw bytes."""
    webhook_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "")
    if not webhook_id or not signatures or not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return "malformed"

    message = f"{webhook_id}.{timestamp}.".encode() + body
    digest = hmac.new(api_key.encode(), message, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    # During a key rotation there are two signatures, separated by a space.
    given = [signature.encode() for signature in signatures.split(" ")]
    if not any(hmac.compare_digest(signature, expected) for signature in given):
        return "bad_signature"
    return "genuine" if is_recent(int(timestamp)) else "stale"


def verify_token(api_key: str, signature: str, timestamp: int, token: str) -> str:
    """The signature in the body (object "signature") covers only the timestamp and the token."""
    message = f"{timestamp}{token}".encode()
    expected = hmac.new(api_key.encode(), message, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(signature.encode(), expected.encode()):
        return "bad_signature"
    return "genuine" if is_recent(timestamp) else "stale"


def is_recent(timestamp: int) -> bool:
    return abs(int(time.time()) - timestamp) <= TOLERANCE_SECONDS
