import java.security.GeneralSecurityException;
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
