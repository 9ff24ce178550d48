package main

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
