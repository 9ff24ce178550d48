/** Forged, tampered and replayed webhooks. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEY, NOW, outcome, TOKEN, verifier, webhook } from '../testing/signed-webhook.ts';
import { sign, signContent } from './signature.ts';
import { memoryTokenStore } from './token-store.ts';

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
