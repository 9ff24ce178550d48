/**
 * OTLP as Protocol Buffers, the standard's default, which every collector takes. The messages are few and do
 * not change, so they are written by hand: the numbers are those of opentelemetry/proto/trace/v1/trace.proto.
 */

import { ProtobufWriter } from './protobuf-writer.ts';
import {
  type Attributes,
  type Encoding,
  type FinishedSpan,
  microseconds,
  type Source,
} from './span.ts';
import { isSampled } from './trace-context.ts';

const STATUS_ERROR = 2;

export function protobufEncoding({ resource, scope }: Source): Encoding {
  const writer = new ProtobufWriter();
  return {
    contentType: 'application/x-protobuf',
    span(span) {
      writeSpan(writer, span);
      return writer.take();
    },
    batch(spans) {
      // A writer of its own, because this one grows to the size of a batch.
      const batch = new ProtobufWriter();
      batch.message(1, () => {
        batch.message(1, () => writeAttributes(batch, 1, resource));
        batch.message(2, () => {
          batch.message(1, () => {
            batch.text(1, scope.name);
            batch.text(2, scope.version);
          });
          for (const span of spans) batch.bytes(2, span);
        });
      });
      return batch.take();
    },
  };
}

function writeSpan(writer: ProtobufWriter, span: FinishedSpan): void {
  const { traceId, spanId, state } = span.context;
  writer.hex(1, traceId);
  writer.hex(2, spanId);
  if (state !== undefined) writer.text(3, state);
  if (span.parentSpanId !== undefined) writer.hex(4, span.parentSpanId);
  writer.text(5, span.name);
  writer.varint(6, span.kind);
  writer.nanoseconds(7, microseconds(span.startedMs));
  writer.nanoseconds(8, microseconds(span.startedMs + span.durationMs));
  writeAttributes(writer, 9, span.attributes);
  if (span.failed) writer.message(15, () => writer.varint(3, STATUS_ERROR));
  writer.fixed32(16, isSampled(span.context) ? 1 : 0);
}

/** `KeyValue` messages, whose values are texts or integers. */
function writeAttributes(writer: ProtobufWriter, field: number, attributes: Attributes): void {
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    writer.message(field, () => {
      writer.text(1, key);
      writer.message(2, () => {
        if (typeof value === 'string') writer.text(1, value);
        else writer.varint(3, value);
      });
    });
  }
}
