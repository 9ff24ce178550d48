<?php

const TOLERANCE_SECONDS = 15;

/** The signature in the headers covers the whole body: pass file_get_contents('php://input'). */
function verify(string $apiKey, array $headers, string $body): string
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $signatures = $headers['webhook-signature'] ?? '';
    if ($id === '' || $signatures === '' || !preg_match('/^[0-9]{1,12}$/D', $timestamp)) {
        return 'malformed';
    }

    $digest = hash_hmac('sha256', "$id.$timestamp.$body", $apiKey, true);
    $expected = 'v1,' . base64_encode($digest);
    // During a key rotation there are two signatures, separated by a space.
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($expected, $given)) {
            return isRecent((int) $timestamp) ? 'genuine' : 'stale';
        }
    }
    return 'bad_signature';
}

/** The signature in the body (object "signature") covers only the timestamp and the token. */
function verifyToken(string $apiKey, string $signature, int $timestamp, string $token): string
{
    $expected = hash_hmac('sha256', $timestamp . $token, $apiKey);
    if (!hash_equals($expected, $signature)) {
        return 'bad_signature';
    }
    return isRecent($timestamp) ? 'genuine' : 'stale';
}

function isRecent(int $timestamp): bool
{
    return abs(time() - $timestamp) <= TOLERANCE_SECONDS;
}
