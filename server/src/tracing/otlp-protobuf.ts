/**
 * OTLP as Protocol Buffers, the standard's default, which every collector takes. The messages are few and
 * never change, so they are written by hand: the numbers are those of opentelemetry/proto/trace/v1/trace.proto.
 */
import type { Encoding, Source } from './encoding.ts';
import { type Attributes, type FinishedSpan, nanoseconds } from './span.ts';
import { isSampled } from './trace-context.ts';

const STATUS_ERROR = 2;

/** Wire types. */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

export function protobufEncoding({ resource, scope }: Source): Encoding {
  const resourceField = message(1, attributeFields(1, resource));
  const scopeField = message(1, [text(1, scope.name), text(2, scope.version)]);
  return {
    contentType: 'application/x-protobuf',
    span: (span) => Buffer.concat(spanFields(span)),
    batch: (spans) => {
      const scopeSpans = [scopeField, ...spans.map((span) => message(2, [span]))];
      return message(1, [resourceField, message(2, scopeSpans)]);
    },
  };
}

function spanFields(span: FinishedSpan): Buffer[] {
  const { traceId, spanId, state } = span.context;
  const fields = [bytes(1, Buffer.from(traceId, 'hex')), bytes(2, Buffer.from(spanId, 'hex'))];
  if (state !== undefined) fields.push(text(3, state));
  if (span.parentSpanId !== undefined) fields.push(bytes(4, Buffer.from(span.parentSpanId, 'hex')));
  fields.push(
    text(5, span.name),
    Buffer.concat([tag(6, VARINT), varint(span.kind)]),
    time(7, span.startedMs),
    time(8, span.startedMs + span.durationMs),
    ...attributeFields(9, span.attributes),
  );
  if (span.failed)
    fields.push(message(15, [Buffer.concat([tag(3, VARINT), varint(STATUS_ERROR)])]));
  fields.push(tag(16, FIXED32), Buffer.from([isSampled(span.context) ? 1 : 0, 0, 0, 0]));
  return fields;
}

/** `KeyValue` messages. */
function attributeFields(field: number, attributes: Attributes): Buffer[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const typed =
      typeof value === 'string' ? text(1, value) : Buffer.concat([tag(3, VARINT), varint(value)]);
    return [message(field, [text(1, key), message(2, [typed])])];
  });
}

function message(field: number, fields: readonly Buffer[]): Buffer {
  return bytes(field, Buffer.concat(fields));
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([tag(field, BYTES), varint(value.length), value]);
}

function time(field: number, ms: number): Buffer {
  const fixed = Buffer.alloc(8);
  fixed.writeBigUInt64LE(BigInt(nanoseconds(ms)));
  return Buffer.concat([tag(field, FIXED64), fixed]);
}

function tag(field: number, wireType: number): Buffer {
  return varint(field * 8 + wireType);
}

/** Of a whole number that is not negative. */
function varint(value: number): Buffer {
  const groups: number[] = [];
  let rest = value;
  while (rest >= 128) {
    groups.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...groups, rest]);
}
