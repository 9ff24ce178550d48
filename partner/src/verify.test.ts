import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sign, signContent, signWebhook, type WebhookToSign } from './signature.ts';
import { memoryTokenStore } from './token-store.ts';
import { createVerifier, equalInConstantTime, type VerifierOptions } from './verify.ts';

const KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
const NOW = 1_574_146_939;
const TOKEN = 'd3395025-1ee7-49a2-bd86-e4bd6b9908b2';

function webhook(changes: Partial<WebhookToSign> = {}) {
  return signWebhook({
    webhookId: 'evt_1',
    event: { type: 'created', partnerOrderId: 'A-1' },
    form: 'data',
    timestamp: NOW,
    token: TOKEN,
    bodyKey: KEY,
    headerKeys: [KEY],
    ...changes,
  });
}

function verifier(options: Partial<VerifierOptions> = {}) {
  return createVerifier({ apiKey: KEY, now: () => NOW * 1_000, ...options });
}

/** 'ok', or the reason for the refusal. */
async function outcome(verifying: ReturnType<ReturnType<typeof createVerifier>['verify']>) {
  const result = await verifying;
  return result.ok ? 'ok' : result.reason;
}

describe('a genuine webhook', () => {
  test.each(['data', 'flat', 'both'] as const)('in form %s', async (form) => {
    const { body, headers } = await webhook({ form });
    expect(await verifier().verify(body, headers)).toEqual({
      ok: true,
      event: { type: 'created', partnerOrderId: 'A-1' },
      token: TOKEN,
      timestamp: NOW,
      webhookId: 'evt_1',
    });
  });

  test('without headers, as the specification describes it', async () => {
    const { body } = await webhook();
    expect(await verifier().verify(body)).toEqual({
      ok: true,
      event: { type: 'created', partnerOrderId: 'A-1' },
      token: TOKEN,
      timestamp: NOW,
    });
    expect(await outcome(verifier({ requireHeaders: true }).verify(body))).toBe('malformed');
  });

  test('with headers in every form that servers use', async () => {
    const { body, headers } = await webhook();
    const strict = verifier({ requireHeaders: true });
    const shouted = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(await outcome(strict.verify(body, new Headers(headers)))).toBe('ok');
    expect(await outcome(strict.verify(body, headers))).toBe('ok');
    expect(await outcome(strict.verify(body, shouted))).toBe('ok');
  });

  test('as bytes, with any text in it', async () => {
    const text = fc
      .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 256 })
      .map((units) => String.fromCharCode(...units));
    await fc.assert(
      fc.asyncProperty(text, async (partnerOrderId) => {
        const { body, headers } = await webhook({ event: { type: 'updated', partnerOrderId } });
        const result = await verifier().verify(new TextEncoder().encode(body), headers);
        expect(result).toMatchObject({ ok: true, event: { partnerOrderId } });
      }),
    );
  });

  test('signed with either key of a rotation', async () => {
    const rotating = verifier({ apiKey: ['old', 'new'] });
    for (const bodyKey of ['old', 'new']) {
      const { body, headers } = await webhook({ bodyKey, headerKeys: ['old', 'new'] });
      expect(await outcome(rotating.verify(body, headers))).toBe('ok');
      expect(await outcome(verifier({ apiKey: bodyKey }).verify(body, headers))).toBe('ok');
    }
  });

  test('beside signatures of later versions', async () => {
    const { body, headers } = await webhook();
    const signatures = `v2,AAAA ${headers['webhook-signature']} v1a,BBBB`;
    const result = verifier().verify(body, { ...headers, 'webhook-signature': signatures });
    expect(await outcome(result)).toBe('ok');
  });
});

describe('bad_signature', () => {
  test('another key', async () => {
    const { body } = await webhook({ bodyKey: 'other' });
    expect(await outcome(verifier().verify(body))).toBe('bad_signature');
  });

  test('any change to signature, timestamp or token', async () => {
    const signature = await sign(KEY, NOW, TOKEN);
    const spoilt = [
      { signature: signature.toUpperCase(), timestamp: NOW, token: TOKEN },
      { signature: signature.slice(0, -1), timestamp: NOW, token: TOKEN },
      { signature: `${signature}0`, timestamp: NOW, token: TOKEN },
      { signature: `${signature}\0`, timestamp: NOW, token: TOKEN },
      { signature: '', timestamp: NOW, token: TOKEN },
      { signature: '\0'.repeat(64), timestamp: NOW, token: TOKEN },
      { signature: 'é'.repeat(64), timestamp: NOW, token: TOKEN },
      { signature, timestamp: NOW + 1, token: TOKEN },
      { signature, timestamp: NOW, token: `${TOKEN} ` },
      { signature, timestamp: NOW, token: TOKEN.toUpperCase() },
    ];
    for (const secure of spoilt) {
      const body = JSON.stringify({ type: 'created', partner_order_id: 'A-1', signature: secure });
      expect(await outcome(verifier().verify(body))).toBe('bad_signature');
    }
  });

  test('any flipped bit of a body with headers, unless it is no longer JSON', async () => {
    const { body, headers } = await webhook();
    const bytes = new TextEncoder().encode(body);
    const anyBit = fc.integer({ min: 0, max: bytes.length * 8 - 1 });
    await fc.assert(
      fc.asyncProperty(anyBit, async (bit) => {
        const spoilt = bytes.slice();
        (spoilt[bit >> 3] as number) ^= 1 << (bit & 7);
        const result = await outcome(verifier().verify(spoilt, headers));
        expect(result).toMatch(/^(bad_signature|malformed)$/);
      }),
    );
  });

  test('a payload swapped under genuine headers', async () => {
    const { body, headers } = await webhook();
    const swapped = body.replace('A-1', 'A-2');
    // This is the weakness of the specification's own signature, and the reason for the headers.
    expect(await outcome(verifier().verify(swapped))).toBe('ok');
    expect(await outcome(verifier().verify(swapped, headers))).toBe('bad_signature');
  });

  test.each([
    { 'webhook-id': 'evt_2' },
    { 'webhook-timestamp': String(NOW + 1) },
    { 'webhook-signature': 'v1,' },
    { 'webhook-signature': 'v1' },
    { 'webhook-signature': 'none' },
  ])('headers changed to %o', async (change) => {
    const { body, headers } = await webhook();
    expect(await outcome(verifier().verify(body, { ...headers, ...change }))).toBe('bad_signature');
  });

  test('a header signature that claims another version', async () => {
    const { body, headers } = await webhook();
    const signature = headers['webhook-signature'].replace('v1,', 'v2,');
    const result = verifier().verify(body, { ...headers, 'webhook-signature': signature });
    expect(await outcome(result)).toBe('bad_signature');
  });

  test('a dot moved between id and timestamp', async () => {
    const { body } = await webhook();
    const digest = await signContent(KEY, `evt.${NOW}`, NOW, body);
    const headers = {
      'webhook-id': 'evt',
      'webhook-timestamp': String(NOW),
      'webhook-signature': `v1,${digest}`,
    };
    expect(await outcome(verifier().verify(body, headers))).toBe('bad_signature');
  });
});

describe('malformed', () => {
  test('a body that is not UTF-8', async () => {
    expect(await outcome(verifier().verify(new Uint8Array([0x7b, 0xff, 0x7d])))).toBe('malformed');
  });

  test.each([
    { 'webhook-id': undefined },
    { 'webhook-id': '' },
    { 'webhook-signature': undefined },
    { 'webhook-timestamp': undefined },
    { 'webhook-timestamp': `${NOW}.0` },
    { 'webhook-timestamp': `+${NOW}` },
    { 'webhook-timestamp': `0${NOW}` },
    { 'webhook-timestamp': '99999999999999999999' },
    { 'webhook-timestamp': [String(NOW), String(NOW)] },
  ])('headers changed to %o', async (change) => {
    const { body, headers } = await webhook();
    expect(await outcome(verifier().verify(body, { ...headers, ...change }))).toBe('malformed');
  });

  test('parsed JSON instead of the raw body throws a helpful error', async () => {
    const parsed = JSON.parse((await webhook()).body);
    await expect(verifier().verify(parsed)).rejects.toThrow('needs the raw body');
  });
});

describe('stale', () => {
  test.each([
    [15, 'ok'],
    [-15, 'ok'],
    [16, 'stale'],
    [-16, 'stale'],
  ])('%i s old', async (age, expected) => {
    const { body } = await webhook();
    const now = () => (NOW + age) * 1_000;
    expect(await outcome(verifier({ now }).verify(body))).toBe(expected);
    expect(await outcome(verifier({ now, toleranceSeconds: false }).verify(body))).toBe('ok');
    expect(await outcome(verifier({ now, toleranceSeconds: 16 }).verify(body))).toBe('ok');
  });

  test('fresh body, old headers', async () => {
    const { body } = await webhook();
    const old = NOW - 60;
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(old),
      'webhook-signature': `v1,${await signContent(KEY, 'evt_1', old, body)}`,
    };
    expect(await outcome(verifier().verify(body, headers))).toBe('stale');
  });
});

describe('replayed', () => {
  test('the same webhook, or only its token, a second time', async () => {
    const { verify } = verifier({ tokenStore: memoryTokenStore({ now: () => NOW * 1_000 }) });
    const first = await webhook();
    const resigned = await webhook({ timestamp: NOW + 1, webhookId: 'evt_2' });
    expect(await outcome(verify(first.body))).toBe('ok');
    expect(await outcome(verify(first.body))).toBe('replayed');
    expect(await outcome(verify(resigned.body))).toBe('replayed');
    expect(await outcome(verify((await webhook({ token: 'another' })).body))).toBe('ok');
  });

  test('only one of many concurrent copies is accepted', async () => {
    const { verify } = verifier({ tokenStore: memoryTokenStore({ now: () => NOW * 1_000 }) });
    const { body } = await webhook();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => outcome(verify(body))));
    expect(outcomes.filter((each) => each === 'ok')).toHaveLength(1);
  });

  test('a forged or stale webhook does not use up its token', async () => {
    let nowMs = NOW * 1_000;
    const tokenStore = memoryTokenStore({ now: () => nowMs });
    const { verify } = verifier({ tokenStore, now: () => nowMs });
    const forged = await webhook({ bodyKey: 'other' });
    const genuine = await webhook();
    expect(await outcome(verify(forged.body))).toBe('bad_signature');
    nowMs += 60_000;
    expect(await outcome(verify(genuine.body))).toBe('stale');
    nowMs -= 60_000;
    expect(await outcome(verify(genuine.body))).toBe('ok');
  });

  test('digits moved from timestamp to token, if age is not checked', async () => {
    const tokenStore = memoryTokenStore();
    const { verify } = verifier({ tokenStore, toleranceSeconds: false });
    const { body } = await webhook();
    const shifted = body
      .replace(String(NOW), String(NOW).slice(0, -1))
      .replace(TOKEN, `${String(NOW).slice(-1)}${TOKEN}`);
    expect(await outcome(verify(body))).toBe('ok');
    expect(await outcome(verify(shifted))).toBe('replayed');
  });

  test('a token is remembered for as long as its webhook would pass', async () => {
    let nowMs = (NOW - 15) * 1_000;
    const tokenStore = memoryTokenStore({ now: () => nowMs });
    const { verify } = verifier({ tokenStore, now: () => nowMs });
    const { body } = await webhook();
    expect(await outcome(verify(body))).toBe('ok');
    for (let second = 0; second < 30; second++) {
      nowMs += 1_000;
      expect(await outcome(verify(body))).toBe('replayed');
    }
    nowMs += 1_000;
    expect(await outcome(verify(body))).toBe('stale');
  });
});

test('options that would accept everything are refused', () => {
  expect(() => verifier({ apiKey: '' })).toThrow('apiKey is empty');
  expect(() => verifier({ apiKey: [] })).toThrow('apiKey is empty');
  expect(() => verifier({ apiKey: [KEY, ''] })).toThrow('apiKey is empty');
  expect(() => verifier({ toleranceSeconds: Number.NaN })).toThrow('toleranceSeconds');
  expect(() => verifier({ toleranceSeconds: -1 })).toThrow('toleranceSeconds');
});

describe('equalInConstantTime', () => {
  test('returns whether two strings are equal', () => {
    const text = fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', '\0', 'é') });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(equalInConstantTime(a, b)).toBe(a === b);
        expect(equalInConstantTime(a, a)).toBe(true);
      }),
    );
  });

  test('compares the same number of characters for any input', () => {
    const expected = 'a'.repeat(64);
    for (const given of [
      '',
      'b',
      'a'.repeat(63),
      `b${'a'.repeat(63)}`,
      expected,
      'a'.repeat(999),
    ]) {
      let looks = 0;
      const watched = {
        length: given.length,
        charCodeAt: (i: number) => {
          looks++;
          return given.charCodeAt(i);
        },
      } as string;
      equalInConstantTime(expected, watched);
      expect(looks).toBe(64);
    }
  });
});
