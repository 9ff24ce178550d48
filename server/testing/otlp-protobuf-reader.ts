/** Reads an ExportTraceServiceRequest, written independently of the server's writer. */
import type { CollectedSpan } from './trace-collector.ts';

type Field = { number: number; bytes: Buffer; value: bigint };

function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('A varint is cut off.');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const number = tag >> 3;
    const none = Buffer.alloc(0);
    switch (tag & 7) {
      case 0:
        yield { number, bytes: none, value: varint() };
        break;
      case 1:
        yield { number, bytes: none, value: message.readBigUInt64LE(at) };
        at += 8;
        break;
      case 2: {
        const length = Number(varint());
        const bytes = message.subarray(at, at + length);
        if (bytes.length < length) throw new Error('A field is cut off.');
        at += length;
        yield { number, bytes, value: 0n };
        break;
      }
      case 5:
        yield { number, bytes: none, value: BigInt(message.readUInt32LE(at)) };
        at += 4;
        break;
      default:
        throw new Error(`There is no wire type ${tag & 7}.`);
    }
  }
}

function all(message: Buffer, number: number): Buffer[] {
  return [...fieldsOf(message)].filter((one) => one.number === number).map(({ bytes }) => bytes);
}

function one(message: Buffer, number: number): Field {
  const found = [...fieldsOf(message)].findLast((field) => field.number === number);
  return found ?? { number, bytes: Buffer.alloc(0), value: 0n };
}

const textOf = (message: Buffer, number: number) => one(message, number).bytes.toString();
const hexOf = (message: Buffer, number: number) => one(message, number).bytes.toString('hex');

function attributesOf(message: Buffer, number: number): Record<string, string | number> {
  return Object.fromEntries(
    all(message, number).map((pair) => {
      const value = one(pair, 2).bytes;
      const [typed] = fieldsOf(value);
      return [textOf(pair, 1), typed?.number === 3 ? Number(typed.value) : textOf(value, 1)];
    }),
  );
}

export function readOtlpProtobuf(request: Buffer): CollectedSpan[] {
  return all(request, 1).flatMap((resourceSpans) =>
    all(resourceSpans, 2).flatMap((scopeSpans) =>
      all(scopeSpans, 2).map((span) => ({
        service: String(attributesOf(one(resourceSpans, 1).bytes, 1)['service.name']),
        scope: textOf(one(scopeSpans, 1).bytes, 1),
        traceId: hexOf(span, 1),
        spanId: hexOf(span, 2),
        parentSpanId: hexOf(span, 4),
        traceState: textOf(span, 3),
        name: textOf(span, 5),
        kind: Number(one(span, 6).value),
        startNano: one(span, 7).value,
        endNano: one(span, 8).value,
        attributes: attributesOf(span, 9),
        failed: one(one(span, 15).bytes, 3).value === 2n,
      })),
    ),
  );
}
