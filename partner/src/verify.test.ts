/** Genuine webhooks are accepted, and malformed or stale ones refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KEY, NOW, outcome, TOKEN, verifier, webhook } from '../testing/signed-webhook.ts';
import { signContent } from './signature.ts';
import { equalInConstantTime } from './verify.ts';

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

test('options that would accept everything are refused', () => {
  expect(() => verifier({ apiKey: '' })).toThrow('apiKey is empty');
  expect(() => verifier({ apiKey: [] })).toThrow('apiKey is empty');
  expect(() => verifier({ apiKey: [KEY, ''] })).toThrow('apiKey is empty');
  // From JavaScript, a variable of the environment that is not set.
  const unset = undefined as unknown as string;
  expect(() => verifier({ apiKey: unset })).toThrow('apiKey is empty');
  expect(() => verifier({ apiKey: [KEY, unset] })).toThrow('apiKey is empty');
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
