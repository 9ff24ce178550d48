import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCredentials } from './authorization-header.ts';
import { Refusal } from './refusal.ts';

/** Any text without control characters, short enough for the header. */
const text = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it excludes them.
  .filter((value) => !/[\u0000-\u001f\u007f-\u009f]/.test(value));
const keyId = text.filter((value) => !value.includes(':'));

const headerOf = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

function outcomeOf(header: string): unknown {
  try {
    return readCredentials(header);
  } catch (error) {
    if (error instanceof Refusal) return error.kind.code;
    throw error;
  }
}

describe('credentials', () => {
  test('of any kind are read as they were sent', () => {
    fc.assert(
      fc.property(keyId, text, (id, apiKey) => {
        const header = headerOf(`${id}:${apiKey}`);
        fc.pre(header.length <= 1_024);
        expect(readCredentials(header)).toEqual({ keyId: id, apiKey });
      }),
    );
  });

  test('are read with the scheme in any case and any number of spaces after it', () => {
    fc.assert(
      fc.property(
        fc.mixedCase(fc.constant('basic')),
        fc.integer({ min: 1, max: 9 }),
        (scheme, n) => {
          const header = scheme + ' '.repeat(n) + Buffer.from('1:2').toString('base64');
          expect(readCredentials(header)).toEqual({ keyId: '1', apiKey: '2' });
        },
      ),
    );
  });

  test('may have a colon in the API key', () => {
    expect(readCredentials(headerOf('1:2:3:'))).toEqual({ keyId: '1', apiKey: '2:3:' });
  });
});

describe('a Refusal is thrown, and nothing else, for', () => {
  const refused = 'invalid_auth_header';

  test('any other text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string()), (header) => {
        expect(outcomeOf(header)).toBe(refused);
      }),
    );
  });

  test('any text after the scheme that is not a pair in base64', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (rest) => {
        const outcome = outcomeOf(`Basic ${rest}`);
        if (outcome === refused) return;
        const { keyId, apiKey } = outcome as { keyId: string; apiKey: string };
        expect(headerOf(`${keyId}:${apiKey}`)).toBe(`Basic ${rest.trim()}`);
      }),
    );
  });

  test('any bytes that are not UTF-8, and any control character', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const header = `Basic ${Buffer.from(bytes).toString('base64')}`;
        const outcome = outcomeOf(header);
        if (outcome === refused) return;
        const { keyId, apiKey } = outcome as { keyId: string; apiKey: string };
        expect(Buffer.from(`${keyId}:${apiKey}`)).toEqual(Buffer.from(bytes));
      }),
    );
    for (let code = 0; code < 0x20; code++) {
      expect(outcomeOf(headerOf(`1:${String.fromCodePoint(code)}`))).toBe(refused);
    }
    for (let code = 0x7f; code < 0xa0; code++) {
      expect(outcomeOf(headerOf(`${String.fromCodePoint(code)}:2`))).toBe(refused);
    }
  });

  test('a header longer than 1 KiB, but not for a shorter one', () => {
    const longest = headerOf(`1:${'x'.repeat(760)}`);
    expect(longest).toHaveLength(1_022);
    expect(readCredentials(longest).apiKey).toHaveLength(760);
    expect(outcomeOf(headerOf(`1:${'x'.repeat(763)}`))).toBe(refused);
    expect(outcomeOf(`Basic ${'A'.repeat(1_000_000)}`)).toBe(refused);
  });
});
