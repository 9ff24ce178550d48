import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ATTEMPT_LIFE_MS, beginAttempt, LONGEST_RETURN_PATH, readAttempt } from './attempt.ts';

const NOW_MS = 1_800_000_000_000;

describe('an attempt to sign in', () => {
  test('is read back from its cookie for 10 minutes, and not longer', () => {
    const attempt = beginAttempt(NOW_MS, '/production/deliveries?state=exhausted');
    expect(readAttempt(attempt.cookie, NOW_MS)).toEqual(attempt);
    expect(readAttempt(attempt.cookie, NOW_MS + ATTEMPT_LIFE_MS)).toEqual(attempt);
    expect(readAttempt(attempt.cookie, NOW_MS + ATTEMPT_LIFE_MS + 1)).toBeUndefined();
    expect(readAttempt(attempt.cookie, NOW_MS - 1)).toBeUndefined();
  });

  test('has secrets of its own, none of which tells another', () => {
    const one = beginAttempt(NOW_MS, '/');
    const other = beginAttempt(NOW_MS, '/');
    const secrets = [one, other].flatMap(({ cookie, state, nonce, verifier, challenge }) => [
      cookie.split('.')[0],
      state,
      nonce,
      verifier,
      challenge,
    ]);
    expect(new Set(secrets).size).toBe(10);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
    const digest = createHash('sha256').update(one.verifier).digest('base64url');
    expect(one.challenge).toBe(digest);
  });

  test('has another state if anything in the cookie was changed', () => {
    const { cookie, state } = beginAttempt(NOW_MS, '/a');
    const [seed, , path] = cookie.split('.');
    const later = readAttempt(`${seed}.${NOW_MS + 1}.${path}`, NOW_MS + 1);
    expect(later?.state).not.toBe(state);
    const elsewhere = Buffer.from('/b').toString('base64url');
    expect(readAttempt(`${seed}.${NOW_MS}.${elsewhere}`, NOW_MS)?.state).not.toBe(state);
  });

  test.each(['', 'x', 'a.b.c', `${'x'.repeat(43)}..Lw`, `${'x'.repeat(42)}.1.Lw`])(
    'is not read from the cookie "%s"',
    (cookie) => {
      expect(readAttempt(cookie, 1)).toBeUndefined();
    },
  );
});

describe('the path to return to', () => {
  const pathOf = (text: unknown) => beginAttempt(NOW_MS, text).returnPath;

  test.each(['/', '/production', '/production/deliveries?state=exhausted&type=created'])(
    'can be %s',
    (path) => {
      expect(pathOf(path)).toBe(path);
    },
  );

  test.each([
    undefined,
    ['/a', '/b'],
    '',
    'production',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example/',
    '\\\\evil.example',
    'javascript:alert(1)',
    `/${'a'.repeat(LONGEST_RETURN_PATH)}`,
  ])('is the first page instead of %j', (text) => {
    expect(pathOf(text)).toBe('/');
  });

  test('never leads to another site', () => {
    const pieces = fc.constantFrom(
      '/',
      '\\',
      '.',
      '..',
      '\t',
      '\n',
      ':',
      '@',
      'evil.example',
      'https:',
    );
    const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(texts, fc.string()), (text) => {
        const location = pathOf(text);
        expect(new URL(location, 'https://bellhop.example').origin).toBe('https://bellhop.example');
        expect(location).toMatch(/^\/(?!\/)/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is checked again when the cookie comes back', () => {
    const evil = Buffer.from('//evil.example').toString('base64url');
    expect(readAttempt(`${'x'.repeat(43)}.${NOW_MS}.${evil}`, NOW_MS)?.returnPath).toBe('/');
  });
});
