import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readOtlpProtobuf } from '../../../testing/otlp-protobuf-reader.ts';
import { protobufEncoding } from './otlp-protobuf.ts';
import type { FinishedSpan } from './span.ts';

const text = fc.string({ unit: 'binary', maxLength: 300 }).map((one) => one.toWellFormed());
const hex = (digits: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits });

const spans: fc.Arbitrary<FinishedSpan> = fc.record({
  context: fc.record({
    traceId: hex(32),
    spanId: hex(16),
    flags: fc.constantFrom(0, 1),
    state: fc.option(text, { nil: undefined }),
  }),
  parentSpanId: fc.option(hex(16), { nil: undefined }),
  name: text,
  kind: fc.constantFrom(2, 3) as fc.Arbitrary<FinishedSpan['kind']>,
  startedMs: fc.nat(4_000_000_000_000),
  durationMs: fc.nat(700_000_000),
  failed: fc.boolean(),
  attributes: fc.dictionary(
    text.filter((key) => key !== '__proto__'),
    fc.oneof(text, fc.maxSafeNat()),
  ),
});

test('another reader finds in a batch what was written', () => {
  const source = { resource: { 'service.name': 'a' }, scope: { name: 'b', version: 'c' } };
  // One for all runs, because its buffer is used again.
  const encoding = protobufEncoding(source);
  fc.assert(
    fc.property(fc.array(spans, { maxLength: 20 }), (written) => {
      const batch = encoding.batch(written.map((span) => encoding.span(span)));
      expect(readOtlpProtobuf(batch)).toEqual(
        written.map(({ context, parentSpanId, startedMs, durationMs, ...span }) => ({
          service: 'a',
          scope: 'b',
          traceId: context.traceId,
          spanId: context.spanId,
          traceState: context.state ?? '',
          parentSpanId: parentSpanId ?? '',
          startNano: BigInt(startedMs) * 1_000_000n,
          endNano: BigInt(startedMs + durationMs) * 1_000_000n,
          ...span,
        })),
      );
    }),
  );
});
