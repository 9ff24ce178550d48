import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isSampled,
  readStoredTrace,
  readTraceContext,
  storedTrace,
  traceHeaders,
  traceparentOf,
  withSampling,
} from './trace-context.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

test.each([
  ['sampled', VALID, 1],
  ['not sampled', `00-${TRACE}-${SPAN}-00`, 0],
  ['with flags of a later level', `00-${TRACE}-${SPAN}-03`, 3],
  ['of a later version', `cc-${TRACE}-${SPAN}-01`, 1],
  ['of a later version with more', `cc-${TRACE}-${SPAN}-01-what-the-future-brings`, 1],
])('a traceparent %s is valid', (_, traceparent, flags) => {
  const context = { traceId: TRACE, spanId: SPAN, flags, state: undefined };
  expect(readTraceContext(traceparent, undefined)).toEqual(context);
});

test.each([
  ['absent', undefined],
  ['empty', ''],
  ['there twice', `${VALID}, ${VALID}`],
  ['of the forbidden version', `ff-${TRACE}-${SPAN}-01`],
  ['in capitals', VALID.toUpperCase()],
  ['cut off', VALID.slice(0, -1)],
  ['longer than version 00 allows', `${VALID}-more`],
  ['longer without a dash', `cc-${TRACE}-${SPAN}-011`],
  ['without a trace id', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['without a span id', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['not hexadecimal', VALID.replace('4', 'g')],
  ['preceded by a space', ` ${VALID}`],
])('a traceparent that is %s is not valid', (_, traceparent) => {
  expect(readTraceContext(traceparent, 'a=1')).toBeUndefined();
});

describe('tracestate', () => {
  const state = (text: string | undefined) => readTraceContext(VALID, text)?.state;

  test('is kept as it came, up to 512 characters', () => {
    expect(state('rojo=00f067aa0ba902b7,congo=t61rcWkgMzE')).toBe(
      'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    );
    expect(state(`a=${'x'.repeat(510)}`)).toHaveLength(512);
    expect(state(`a=${'x'.repeat(511)}`)).toBeUndefined();
  });

  test.each(['', 'nonsense', 'a=1\r\nx: y', 'a=é', 'a=\0'])(
    'is dropped if a header could not hold it: %j',
    (text) => expect(state(text)).toBeUndefined(),
  );
});

const hex = (digits: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
    .filter((id) => /[^0]/.test(id));
const contexts = fc.record({
  traceId: hex(32),
  spanId: hex(16),
  flags: fc.nat(255),
  state: fc.option(fc.constantFrom('a=1', 'a=1,b=2', 'a= spaced out', 'a@b=c=d'), {
    nil: undefined,
  }),
});

test('a context survives its headers and its column', () => {
  fc.assert(
    fc.property(contexts, (context) => {
      const { traceparent, tracestate } = traceHeaders(context);
      expect(readTraceContext(traceparent, tracestate)).toEqual(context);
      expect(readStoredTrace(storedTrace(context))).toEqual(context);
    }),
  );
});

test('whatever is in the column, the headers made of it are valid', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string().map((text) => `${VALID} ${text}`),
      ),
      (stored) => {
        const context = readStoredTrace(stored);
        if (!context) return;
        for (const value of Object.values(traceHeaders(context))) {
          expect(value).toMatch(/^[\t\x20-\x7e]+$/);
        }
        expect(readTraceContext(traceparentOf(context), undefined)).toBeDefined();
      },
    ),
  );
});

test('sampling changes one flag', () => {
  fc.assert(
    fc.property(contexts, fc.boolean(), (context, sampled) => {
      const flags = withSampling(context.flags, sampled);
      expect(isSampled({ ...context, flags })).toBe(sampled);
      expect(flags & ~1).toBe(context.flags & ~1);
    }),
  );
});
