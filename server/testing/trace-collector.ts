/** A trace collector for tests: a real HTTP server that takes OTLP, as JSON or Protocol Buffers. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { listen } from '../../kit/listen.ts';
import { Condition } from './condition.ts';
import { readOtlpProtobuf } from './otlp-protobuf-reader.ts';

export interface CollectedSpan {
  service: string;
  scope: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  name: string;
  kind: number;
  startNano: bigint;
  endNano: bigint;
  attributes: Record<string, string | number>;
  failed: boolean;
}

export interface TraceCollector {
  url: string;
  spans: CollectedSpan[];
  /** The headers of each export. */
  exports: IncomingHttpHeaders[];
  /** What the next exports are answered; 'hang' answers nothing. */
  answer: number | 'hang';
  /** Resolves with the spans that match once there are this many. */
  until(count: number, matches?: (span: CollectedSpan) => boolean): Promise<CollectedSpan[]>;
  /** Resolves once this many exports have come, however they were answered. */
  untilExports(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startCollector(): Promise<TraceCollector> {
  const came = new Condition();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    collector.exports.push(request.headers);
    if (collector.answer === 200) {
      if (request.method !== 'POST' || request.url !== '/v1/traces') throw new Error('not OTLP');
      const isJson = request.headers['content-type'] === 'application/json';
      collector.spans.push(
        ...(isJson ? readJson(JSON.parse(String(body))) : readOtlpProtobuf(body)),
      );
    }
    came.look();
    if (collector.answer !== 'hang') response.writeHead(collector.answer).end('{}');
  });
  const { url, close } = await listen(server);
  const collector: TraceCollector = {
    url,
    spans: [],
    exports: [],
    answer: 200,
    async until(count, matches = () => true) {
      await came.until(() => collector.spans.filter(matches).length >= count);
      return collector.spans.filter(matches);
    },
    untilExports: (count) => came.until(() => collector.exports.length >= count),
    close,
  };
  return collector;
}

/** A trace as text: each span below its parent. */
export function drawTrace(spans: readonly CollectedSpan[]): string {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const byStart = [...spans].sort((a, b) => (a.startNano < b.startNano ? -1 : 1));
  const lines: string[] = [];
  const draw = (span: CollectedSpan, indent: string) => {
    const kind = span.kind === 2 ? 'server' : 'client';
    const ms = Number(span.endNano - span.startNano) / 1e6;
    const status = span.attributes['http.response.status_code'];
    lines.push(
      `${indent}${span.name}  [${span.service}, ${kind}] ${status} in ${ms.toFixed(1)} ms, span ${span.spanId}`,
    );
    for (const one of byStart) if (one.parentSpanId === span.spanId) draw(one, `${indent}  `);
  };
  for (const span of byStart) {
    if (known.has(span.parentSpanId)) continue;
    lines.push(`trace ${span.traceId}${span.parentSpanId && `, below span ${span.parentSpanId}`}`);
    draw(span, '  ');
  }
  return lines.join('\n');
}

type Json = { key: string; value: { stringValue?: string; intValue?: string } }[];

// biome-ignore lint/suspicious/noExplicitAny: the JSON of OTLP.
function readJson({ resourceSpans }: any): CollectedSpan[] {
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  return resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: the same.
    scopeSpans.flatMap(({ scope, spans }: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: the same.
      spans.map((span: any) => ({
        service: attributesOf(resource.attributes)['service.name'],
        scope: scope.name,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        traceState: span.traceState ?? '',
        name: span.name,
        kind: span.kind,
        startNano: BigInt(span.startTimeUnixNano),
        endNano: BigInt(span.endTimeUnixNano),
        attributes: attributesOf(span.attributes),
        failed: span.status.code === 2,
      })),
    ),
  );
}

function attributesOf(list: Json): Record<string, string | number> {
  return Object.fromEntries(
    list.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
