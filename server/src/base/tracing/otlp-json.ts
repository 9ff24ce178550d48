/** OTLP as JSON. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
import {
  type Attributes,
  type Encoding,
  type FinishedSpan,
  microseconds,
  type Source,
} from './span.ts';
import { isSampled } from './trace-context.ts';

const STATUS_ERROR = 2;

export function jsonEncoding({ resource, scope }: Source): Encoding {
  const beginning = Buffer.from(
    `{"resourceSpans":[{"resource":{"attributes":${JSON.stringify(attributeList(resource))}},` +
      `"scopeSpans":[{"scope":${JSON.stringify(scope)},"spans":[`,
  );
  const comma = Buffer.from(',');
  const end = Buffer.from(']}]}]}');
  return {
    contentType: 'application/json',
    span: (span) => Buffer.from(JSON.stringify(spanObject(span))),
    batch(spans) {
      const parts: Buffer[] = [beginning];
      for (const [i, span] of spans.entries()) parts.push(...(i > 0 ? [comma, span] : [span]));
      return Buffer.concat([...parts, end]);
    },
  };
}

function spanObject(span: FinishedSpan): object {
  const { traceId, spanId, state } = span.context;
  return {
    traceId,
    spanId,
    ...(state !== undefined && { traceState: state }),
    ...(span.parentSpanId !== undefined && { parentSpanId: span.parentSpanId }),
    flags: isSampled(span.context) ? 1 : 0,
    name: span.name,
    kind: span.kind,
    startTimeUnixNano: `${microseconds(span.startedMs)}000`,
    endTimeUnixNano: `${microseconds(span.startedMs + span.durationMs)}000`,
    attributes: attributeList(span.attributes),
    status: span.failed ? { code: STATUS_ERROR } : {},
  };
}

function attributeList(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return [];
    // 64-bit integers are text in JSON.
    const typed = typeof value === 'string' ? { stringValue: value } : { intValue: String(value) };
    return [{ key, value: typed }];
  });
}
