import{r as e}from"./rolldown-runtime-hePW80VL.js";import{i as t,r as n}from"./react-BChZNyHn.js";import{Vt as r,d as i}from"./shared-BgUnGYlY.js";import{a,c as o,i as s,l as c,r as l}from"./index-BaiXT96D.js";import{i as u}from"./AttemptCard-WJ9K8FEH.js";import{n as d}from"./Receiver-CL59fIjG.js";var f=e(t(),1),p={TypeScript:`import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 15;

export type Verdict = 'genuine' | 'malformed' | 'bad_signature' | 'stale';
type Headers = Record<string, string | undefined>;

/** The signature in the headers covers the whole body: pass the raw bytes. */
export function verify(apiKey: string, headers: Headers, body: Uint8Array): Verdict {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !signatures || !timestamp || !/^\\d{1,12}$/.test(timestamp)) return 'malformed';

  const hmac = createHmac('sha256', apiKey).update(\`\${id}.\${timestamp}.\`).update(body);
  const expected = \`v1,\${hmac.digest('base64')}\`;
  // During a key rotation there are two signatures, separated by a space.
  if (!signatures.split(' ').some((given) => equal(given, expected))) return 'bad_signature';
  return isRecent(Number(timestamp)) ? 'genuine' : 'stale';
}

/** The signature in the body (object "signature") covers only the timestamp and the token. */
export function verifyToken(
  apiKey: string,
  signature: string,
  timestamp: number,
  token: string,
): Verdict {
  const expected = createHmac('sha256', apiKey).update(\`\${timestamp}\${token}\`).digest('hex');
  if (!equal(signature, expected)) return 'bad_signature';
  return isRecent(timestamp) ? 'genuine' : 'stale';
}

function isRecent(timestamp: number): boolean {
  return Math.abs(Math.floor(Date.now() / 1000) - timestamp) <= TOLERANCE_SECONDS;
}

function equal(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
`,Python:`import base64
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
`,PHP:`<?php

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
`,Go:`package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 15

// verify checks the signature in the headers, which covers the whole body: pass the raw bytes.
// In a handler: verify(apiKey, request.Header.Get, body).
func verify(apiKey string, header func(name string) string, body []byte) string {
	id := header("webhook-id")
	stamp := header("webhook-timestamp")
	signatures := header("webhook-signature")
	timestamp, err := strconv.ParseUint(stamp, 10, 40)
	if id == "" || signatures == "" || err != nil {
		return "malformed"
	}

	mac := hmac.New(sha256.New, []byte(apiKey))
	mac.Write([]byte(id + "." + stamp + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	// During a key rotation there are two signatures, separated by a space.
	for _, given := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(given), expected) {
			return recent(int64(timestamp))
		}
	}
	return "bad_signature"
}

// verifyToken checks the signature in the body, which covers only the timestamp and the token.
func verifyToken(apiKey, signature string, timestamp int64, token string) string {
	mac := hmac.New(sha256.New, []byte(apiKey))
	mac.Write([]byte(strconv.FormatInt(timestamp, 10) + token))
	expected := hex.EncodeToString(mac.Sum(nil))
	if !hmac.Equal([]byte(signature), []byte(expected)) {
		return "bad_signature"
	}
	return recent(timestamp)
}

func recent(timestamp int64) string {
	age := time.Now().Unix() - timestamp
	if age > toleranceSeconds || age < -toleranceSeconds {
		return "stale"
	}
	return "genuine"
}
`,Java:`import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Java 17 or newer. */
public final class Verify {
    private static final long TOLERANCE_SECONDS = 15;

    /** The signature in the headers covers the whole body: pass the raw bytes. */
    public static String verify(String apiKey, Map<String, String> headers, byte[] body)
            throws GeneralSecurityException {
        String id = headers.getOrDefault("webhook-id", "");
        String timestamp = headers.getOrDefault("webhook-timestamp", "");
        String signatures = headers.getOrDefault("webhook-signature", "");
        if (id.isEmpty() || signatures.isEmpty() || !timestamp.matches("[0-9]{1,12}")) {
            return "malformed";
        }

        byte[] digest = hmac(apiKey, (id + "." + timestamp + ".").getBytes(UTF_8), body);
        String expected = "v1," + Base64.getEncoder().encodeToString(digest);
        // During a key rotation there are two signatures, separated by a space.
        for (String given : signatures.split(" ")) {
            if (equal(given, expected)) return recent(Long.parseLong(timestamp));
        }
        return "bad_signature";
    }

    /** The signature in the body (object "signature") covers only the timestamp and the token. */
    public static String verifyToken(String apiKey, String signature, long timestamp, String token)
            throws GeneralSecurityException {
        byte[] digest = hmac(apiKey, (timestamp + token).getBytes(UTF_8));
        if (!equal(signature, HexFormat.of().formatHex(digest))) return "bad_signature";
        return recent(timestamp);
    }

    private static byte[] hmac(String apiKey, byte[]... parts) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(apiKey.getBytes(UTF_8), "HmacSHA256"));
        for (byte[] part : parts) mac.update(part);
        return mac.doFinal();
    }

    /** Takes the same time wherever they differ. */
    private static boolean equal(String given, String expected) {
        return MessageDigest.isEqual(given.getBytes(UTF_8), expected.getBytes(UTF_8));
    }

    private static String recent(long timestamp) {
        long age = Math.abs(Instant.now().getEpochSecond() - timestamp);
        return age <= TOLERANCE_SECONDS ? "genuine" : "stale";
    }
}
`,"C#":`using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>.NET 6 or newer.</summary>
public static class Webhook
{
    private const long ToleranceSeconds = 15;

    /// <summary>The signature in the headers covers the whole body: pass the raw bytes.</summary>
    public static string Verify(string apiKey, IReadOnlyDictionary<string, string> headers, byte[] body)
    {
        if (!headers.TryGetValue("webhook-id", out var id) || id.Length == 0
            || !headers.TryGetValue("webhook-timestamp", out var timestamp)
            || !Regex.IsMatch(timestamp, @"\\A[0-9]{1,12}\\z")
            || !headers.TryGetValue("webhook-signature", out var signatures))
        {
            return "malformed";
        }

        using var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, Encoding.UTF8.GetBytes(apiKey));
        hmac.AppendData(Encoding.UTF8.GetBytes($"{id}.{timestamp}."));
        hmac.AppendData(body);
        var expected = "v1," + Convert.ToBase64String(hmac.GetHashAndReset());
        // During a key rotation there are two signatures, separated by a space.
        foreach (var given in signatures.Split(' '))
        {
            if (AreEqual(given, expected)) return Recent(long.Parse(timestamp));
        }
        return "bad_signature";
    }

    /// <summary>The signature in the body (object "signature") covers only the timestamp and the token.</summary>
    public static string VerifyToken(string apiKey, string signature, long timestamp, string token)
    {
        using var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(apiKey));
        var digest = hmac.ComputeHash(Encoding.UTF8.GetBytes($"{timestamp}{token}"));
        if (!AreEqual(signature, Convert.ToHexString(digest).ToLowerInvariant())) return "bad_signature";
        return Recent(timestamp);
    }

    private static bool AreEqual(string given, string expected) =>
        CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(given), Encoding.UTF8.GetBytes(expected));

    private static string Recent(long timestamp) =>
        Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - timestamp) <= ToleranceSeconds ? "genuine" : "stale";
}
`},m=n();function h({form:e}){let[t,n]=(0,f.useState)(`TypeScript`);return(0,m.jsx)(i,{title:s.receiver.verify,children:(0,m.jsxs)(a,{children:[(0,m.jsx)(`p`,{className:r.prose,children:s.receiver.verifyText}),(0,m.jsx)(o,{label:s.receiver.language,className:c.short,children:e=>(0,m.jsx)(`select`,{...e,value:t,onChange:e=>n(e.target.value),children:l(p).map(([e])=>(0,m.jsx)(`option`,{children:e},e))})}),(0,m.jsx)(u,{label:s.receiver.snippet(t),text:p[t]}),(0,m.jsx)(`h3`,{children:s.receiver.body}),(0,m.jsx)(d,{form:e})]})})}export{h as default};