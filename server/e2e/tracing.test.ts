/** Traces through a whole Bellhop: from a partner to the upstream, and from the booking core to a receiver. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { readOpenMetrics } from '../testing/prometheus.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { drawTrace, startCollector, type TraceCollector } from '../testing/trace-collector.ts';
import { startReceiver, status, type WebhookReceiver } from '../testing/webhook-receiver.ts';
import { sharedForwarding } from './forwarding.ts';
import type { SharedBellhop } from './one-bellhop-per-file.ts';

const PATH = '/api/b2b/v3/search/hp/';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const SAMPLED = `00-${TRACE}-${PARENT}-01`;
const UNSAMPLED = `00-${TRACE}-${PARENT}-00`;

async function midofficeAt(bellhop: SharedBellhop, url: string) {
  const { keyId, partnerId } = await bellhop.newKey('sandbox');
  const midoffice = { name: 'Traced', url, signing_key_id: keyId };
  const { body } = await bellhop.support('POST', '/support/v1/sandbox/midoffices', midoffice);
  const partner = `/support/v1/sandbox/partners/${partnerId}`;
  await bellhop.support('PATCH', partner, { midoffice_id: body.id });
  return { partnerId, midofficeId: body.id as string };
}

let events = 0;

async function postEvent(
  { addresses }: SharedBellhop,
  partnerId: string,
  headers: Record<string, string> = {},
) {
  const partner_order_id = `traced ${++events}`;
  const reply = await fetch(`${addresses.backOffice}/orders/v1/sandbox/events`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({
      event_id: `traced-${events}`,
      type: 'updated',
      partner_id: partnerId,
      partner_order_id,
    }),
  });
  expect(reply.status).toBe(202);
  return ((await reply.json()) as { results: { delivery_id: string }[] }).results[0]?.delivery_id;
}

describe('with a collector', () => {
  let collector: TraceCollector;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    collector = await startCollector();
    receiver = await startReceiver(status(200), { atEnd: () => {} });
  });
  const { upstream, bellhop, begin } = sharedForwarding(() => ({
    ...LOOPBACK_RECEIVERS,
    BELLHOP_SANDBOX_RETRY_SCHEDULE: '50ms,1h',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=hotel%20search',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_SERVICE_NAME: 'bellhop-test',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  }));
  afterAll(async () => {
    await receiver.close();
    await collector.close();
  });

  test("a partner's trace goes on at the upstream", async () => {
    const { key, sandbox } = await begin();
    const reply = await fetch(`${sandbox}${PATH}?q=private`, {
      headers: { authorization: key.authorization, traceparent: SAMPLED, tracestate: 'a=1' },
    });
    expect(reply.status).toBe(200);
    const spans = await collector.until(2, ({ traceId }) => traceId === TRACE);
    console.log(`From a partner to the upstream:\n${drawTrace(spans)}`);
    const [call, sent] = [spans.find((one) => one.kind === 2), spans.find((one) => one.kind === 3)];
    expect(call).toMatchObject({
      service: 'bellhop-test',
      scope: 'bellhop/partner-api',
      name: `GET ${PATH}`,
      parentSpanId: PARENT,
      traceState: 'a=1',
      failed: false,
      attributes: {
        'http.route': PATH,
        'http.response.status_code': 200,
        'bellhop.key_id': key.keyId,
        'bellhop.environment': 'sandbox',
        'bellhop.request_id': reply.headers.get('x-request-id'),
      },
    });
    expect(sent).toMatchObject({ parentSpanId: call?.spanId, name: `GET ${PATH}` });
    // The upstream is inside the call.
    expect(sent && call && sent.startNano >= call.startNano).toBe(true);
    expect(upstream.requests[0]?.headers).toMatchObject({
      traceparent: `00-${TRACE}-${sent?.spanId}-01`,
      tracestate: 'a=1',
    });
    const written = JSON.stringify(spans, (_, value) => String(value));
    expect(written).not.toContain(key.apiKey);
    expect(written).not.toContain('private');
    expect(collector.exports[0]).toMatchObject({
      'x-team': 'hotel search',
      'content-encoding': 'gzip',
      'content-type': 'application/x-protobuf',
    });
  });

  test('a call without a valid trace starts one, under its request id', async () => {
    const { key, sandbox } = await begin();
    for (const traceparent of [undefined, '00-nonsense', `${SAMPLED}-more`]) {
      upstream.requests = [];
      const reply = await fetch(sandbox + PATH, {
        headers: {
          authorization: key.authorization,
          tracestate: 'a=1',
          ...(traceparent !== undefined && { traceparent }),
        },
      });
      const id = reply.headers.get('x-request-id');
      const spans = await collector.until(2, ({ traceId }) => traceId === id);
      expect(spans.find(({ kind }) => kind === 2)?.parentSpanId).toBe('');
      const sent = spans.find(({ kind }) => kind === 3);
      const { headers } = upstream.requests[0] ?? {};
      expect(headers?.traceparent).toBe(`00-${id}-${sent?.spanId}-01`);
      expect(headers?.tracestate).toBeUndefined();
    }
  });

  test('a trace that its caller does not record passes through, and is not recorded', async () => {
    const { key, sandbox } = await begin();
    const { authorization } = key;
    await fetch(sandbox + PATH, { headers: { authorization, traceparent: UNSAMPLED } });
    expect(upstream.requests[0]?.headers.traceparent).toBe(UNSAMPLED);
    const { headers } = await fetch(sandbox + PATH, { headers: { authorization } });
    await collector.until(2, ({ traceId }) => traceId === headers.get('x-request-id'));
    const ofThisKey = ({ attributes }: { attributes: object }) =>
      (attributes as Record<string, unknown>)['bellhop.key_id'] === key.keyId;
    expect(collector.spans.filter(ofThisKey)).toHaveLength(1);
  });

  test('refused calls and calls that the upstream fails are marked', async () => {
    const { key, sandbox } = await begin(({ socket }) => socket.destroy());
    const { headers } = await fetch(sandbox + PATH, {
      headers: { authorization: key.authorization },
    });
    const failed = await collector.until(
      2,
      ({ traceId }) => traceId === headers.get('x-request-id'),
    );
    for (const span of failed) {
      expect(span).toMatchObject({
        failed: true,
        attributes: { 'error.type': 'upstream_unreachable' },
      });
    }
    const refused = await fetch(`${sandbox}/nowhere`);
    const id = refused.headers.get('x-request-id');
    const [span] = await collector.until(1, ({ traceId }) => traceId === id);
    expect(span).toMatchObject({
      name: 'GET',
      failed: false,
      attributes: { 'http.response.status_code': 401, 'error.type': 'no_auth_header' },
    });
  });

  test("an order event's trace goes on at its receiver, attempt by attempt", async () => {
    const { partnerId, midofficeId } = await midofficeAt(bellhop, receiver.url);
    let answers = 0;
    receiver.answer = (webhook, response, request) =>
      status(++answers === 1 ? 503 : 200)(webhook, response, request);
    const trace = 'c0ffee'.padEnd(32, '0');
    const traceparent = `00-${trace}-${PARENT}-01`;
    const deliveryId = await postEvent(bellhop, partnerId, { traceparent, tracestate: 'b=2' });
    const spans = await collector.until(3, ({ traceId }) => traceId === trace);
    console.log(`From the booking core to a receiver:\n${drawTrace(spans)}`);
    const accepted = spans.find(({ kind }) => kind === 2);
    expect(accepted).toMatchObject({
      scope: 'bellhop/services',
      name: 'POST /orders/v1/{environment}/events',
      parentSpanId: PARENT,
      attributes: { 'http.response.status_code': 202, 'bellhop.events': 1 },
    });
    expect(accepted && accepted.endNano > accepted.startNano).toBe(true);
    const attempts = spans.filter(({ kind }) => kind === 3);
    expect(attempts).toMatchObject([
      { failed: true, attributes: { 'http.response.status_code': 503, 'error.type': '503' } },
      { failed: false, attributes: { 'http.request.resend_count': 1 } },
    ]);
    for (const [i, attempt] of attempts.entries()) {
      expect(attempt).toMatchObject({
        parentSpanId: accepted?.spanId,
        attributes: { 'bellhop.delivery_id': deliveryId, 'bellhop.midoffice_id': midofficeId },
      });
      expect(receiver.received[i]?.headers).toMatchObject({
        traceparent: `00-${trace}-${attempt.spanId}-01`,
        tracestate: 'b=2',
      });
    }
  });

  test('a request with order events that is refused is part of its trace', async () => {
    const trace = 'bad'.padEnd(32, '0');
    const reply = await fetch(`${bellhop.addresses.backOffice}/orders/v1/sandbox/events`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        'content-type': 'application/json',
        traceparent: `00-${trace}-${PARENT}-01`,
      },
      body: '{}',
    });
    expect(reply.status).toBe(422);
    const [span] = await collector.until(1, ({ traceId }) => traceId === trace);
    expect(span).toMatchObject({
      failed: false,
      parentSpanId: PARENT,
      attributes: { 'http.response.status_code': 422 },
    });
  });

  test('OpenMetrics shows the trace of a call beside its latency, and the plain text does not', async () => {
    const { key, sandbox } = await begin();
    const { headers } = await fetch(sandbox + PATH, {
      headers: { authorization: key.authorization },
    });
    const id = headers.get('x-request-id') as string;
    await collector.until(2, ({ traceId }) => traceId === id);
    const url = `${bellhop.addresses.backOffice}/metrics`;
    const accept = 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.2';
    const reply = await fetch(url, { headers: { accept } });
    expect(reply.headers.get('content-type')).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    );
    const families = readOpenMetrics(await reply.text());
    const exemplars = (name: string) =>
      families.get(name)?.samples.flatMap(({ exemplar }) => exemplar ?? []) ?? [];
    expect(exemplars('bellhop_partner_request_seconds').map(({ labels }) => labels)).toContainEqual(
      { trace_id: id },
    );
    expect(exemplars('bellhop_webhook_attempt_seconds')[0]?.labels.trace_id).toMatch(/^c0ffee/);
    const plain = await (await fetch(url)).text();
    expect(plain).not.toContain(id);
    expect(plain).not.toContain('# EOF');
    const refusing = { headers: { accept: 'application/openmetrics-text;q=0, */*' } };
    expect((await fetch(url, refusing)).headers.get('content-type')).toBe(
      'text/plain; version=0.0.4; charset=utf-8',
    );
  });

  test('a collector that hangs or refuses costs spans, and nothing else', async () => {
    const { key, sandbox } = await begin();
    const call = () => fetch(sandbox + PATH, { headers: { authorization: key.authorization } });
    const before = collector.exports.length;
    collector.answer = 400;
    expect((await call()).status).toBe(200);
    await collector.untilExports(before + 1);
    collector.answer = 'hang';
    expect((await call()).status).toBe(200);
    await collector.untilExports(before + 2);
    expect((await call()).status).toBe(200);
    const dropped =
      /^bellhop_trace_spans_dropped_total\{thread="partner-api",reason="not_exported"\} (\d+)$/m;
    const count = async () => {
      const text = await (await fetch(`${bellhop.addresses.backOffice}/metrics`)).text();
      return Number(dropped.exec(text)?.[1]);
    };
    await eventually(count, (value) => value > 0);
  });
});

describe('without a collector', () => {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startReceiver(status(200), { atEnd: () => {} });
  });
  afterAll(() => receiver.close());
  const { upstream, bellhop, begin } = sharedForwarding(() => LOOPBACK_RECEIVERS);

  test.each([
    ['none', undefined],
    ['a valid one', SAMPLED],
    ['one of a later version', `01-${TRACE}-${PARENT}-01-more`],
  ])('the upstream gets the trace as it came: %s', async (_, traceparent) => {
    const { key, sandbox } = await begin();
    const trace = traceparent === undefined ? {} : { traceparent, tracestate: 'a=1,b=2' };
    await fetch(sandbox + PATH, { headers: { authorization: key.authorization, ...trace } });
    const { headers } = upstream.requests[0] ?? {};
    expect(headers?.traceparent).toBe(traceparent);
    expect(headers?.tracestate).toBe(trace.tracestate);
  });

  test('an invalid trace is replaced, and its state is dropped', async () => {
    const { key, sandbox } = await begin();
    const reply = await fetch(sandbox + PATH, {
      headers: {
        authorization: key.authorization,
        traceparent: SAMPLED.toUpperCase(),
        tracestate: 'a=1',
      },
    });
    const { headers } = upstream.requests[0] ?? {};
    const id = reply.headers.get('x-request-id');
    expect(headers?.traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-00$`));
    expect(headers?.tracestate).toBeUndefined();
  });

  test("a receiver gets the event's trace as it came, and none if it came without", async () => {
    const { partnerId } = await midofficeAt(bellhop, receiver.url);
    await postEvent(bellhop, partnerId, { traceparent: SAMPLED, tracestate: 'b=2' });
    await postEvent(bellhop, partnerId, { traceparent: 'nonsense', tracestate: 'b=2' });
    await postEvent(bellhop, partnerId);
    await receiver.came(3);
    const traces = receiver.received.map(({ headers }) => [
      headers.traceparent,
      headers.tracestate,
    ]);
    expect(traces).toHaveLength(3);
    expect(traces.filter(([traceparent]) => traceparent !== undefined)).toEqual([[SAMPLED, 'b=2']]);
    expect(traces.filter(([, tracestate]) => tracestate !== undefined)).toHaveLength(1);
  });
});
