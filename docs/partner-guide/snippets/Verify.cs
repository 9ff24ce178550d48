using System;
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
            || !Regex.IsMatch(timestamp, @"\A[0-9]{1,12}\z")
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
