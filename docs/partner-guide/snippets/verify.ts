import { createHmac, timingSafeEqual } from 'node:crypto';

const TOLERANCE_SECONDS = 15;

export type Verdict = 'genuine' | 'malformed' | 'bad_signature' | 'stale';
type Headers = Record<string, string | undefined>;

/** The signature in the headers covers the whole body: pass the raw bytes. */
export function verify(apiKey: string, headers: Headers, body: Uint8Array): Verdict {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (!id || !signatures || !timestamp || !/^\d{1,12}$/.test(timestamp)) return 'malformed';

  const hmac = createHmac('sha256', apiKey).update(`${id}.${timestamp}.`).update(body);
  const expected = `v1,${hmac.digest('base64')}`;
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
  const expected = createHmac('sha256', apiKey).update(`${timestamp}${token}`).digest('hex');
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
