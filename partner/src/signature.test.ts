import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as node from './node-signer.ts';
import { createTokenMaker, sign, signContent, signWebhook } from './signature.ts';

const VECTOR = {
  key: '022a2cf1-d279-02f3-9c3c-596aa09b827b',
  timestamp: 1574146939,
  token: 'd3395025-1ee7-49a2-bd86-e4bd6b9908b2',
  signature: '0206b33906ca4acfe407dc3b4a7fe4129b36022729cf8bca8ca06ee1c8bec3da',
};

/** Any text, including lone surrogates. */
const text = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 80 })
  .map((units) => String.fromCharCode(...units));
const seconds = fc.integer({ min: 0, max: 2 ** 40 });

describe('the two signers', () => {
  test('produce the published test vector', async () => {
    const { key, timestamp, token, signature } = VECTOR;
    expect(await sign(key, timestamp, token)).toBe(signature);
    expect(node.sign(key, timestamp, token)).toBe(signature);
  });

  test('sign the same webhook with the same bytes', async () => {
    const webhook = fc.record({
      webhookId: text,
      event: fc.record(
        {
          type: fc.constantFrom('created', 'updated', 'cancelled'),
          partnerOrderId: text,
          agreementNumber: text,
          status: text,
        },
        { requiredKeys: ['type', 'partnerOrderId'] },
      ),
      form: fc.constantFrom('data', 'flat', 'both'),
      timestamp: seconds,
      token: text,
      bodyKey: text,
      headerKeys: fc.array(text, { minLength: 1, maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(webhook, async (any) => {
        expect(node.signWebhook(any)).toEqual(await signWebhook(any));
      }),
    );
  });

  test('sign bytes and the equivalent text alike', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, seconds, text, async (key, id, timestamp, body) => {
        const bytes = new TextEncoder().encode(body);
        const expected = await signContent(key, id, timestamp, body);
        expect(await signContent(key, id, timestamp, bytes)).toBe(expected);
        expect(node.signContent(key, id, timestamp, bytes)).toBe(expected);
        expect(node.signContent(key, id, timestamp, body)).toBe(expected);
      }),
    );
  });
});

test('the headers carry one signature for each key', async () => {
  const { headers, body } = await signWebhook({
    webhookId: 'evt_1',
    event: { type: 'created', partnerOrderId: 'A-1' },
    form: 'data',
    timestamp: VECTOR.timestamp,
    token: VECTOR.token,
    bodyKey: VECTOR.key,
    headerKeys: [VECTOR.key, 'new'],
  });
  const old = await signContent(VECTOR.key, 'evt_1', VECTOR.timestamp, body);
  const fresh = await signContent('new', 'evt_1', VECTOR.timestamp, body);
  expect(headers).toEqual({
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1574146939',
    'webhook-signature': `v1,${old} v1,${fresh}`,
  });
});

test('an empty key is refused', async () => {
  await expect(sign('', 1, 'token')).rejects.toThrow('The API key is empty.');
});

describe('tokens', () => {
  test('are 50 letters and digits, and never repeat', () => {
    const makeToken = createTokenMaker();
    const tokens = Array.from({ length: 10_000 }, makeToken);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9]{50}$/);
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test('use every character equally often', () => {
    const makeToken = createTokenMaker();
    const counts = new Map<string, number>();
    const rounds = 20_000;
    for (let i = 0; i < rounds; i++) {
      for (const character of makeToken()) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (rounds * 50) / 62;
    let chiSquare = 0;
    for (const count of counts.values()) chiSquare += (count - expected) ** 2 / expected;
    expect(counts.size).toBe(62);
    // 61 degrees of freedom: one run in a billion exceeds 153. Bytes modulo 62 would give 6,600.
    expect(chiSquare).toBeLessThan(153);
  });
});
