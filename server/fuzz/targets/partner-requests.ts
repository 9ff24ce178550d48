/** What partners send, before it becomes a call. */
import assert from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import fc from 'fast-check';
import { catalogue, endpointAt } from '../../src/base/catalogue.ts';
import {
  readStoredTrace,
  readTraceContext,
  storedTrace,
  traceHeaders,
} from '../../src/base/tracing/trace-context.ts';
import { readCredentials } from '../../src/gateway/authorization-header.ts';
import { Call } from '../../src/gateway/call.ts';
import { requestHeadersToPass } from '../../src/gateway/end-to-end-headers.ts';
import { Refusal } from '../../src/gateway/refusal.ts';
import { parser } from '../target.ts';

export const authorizationHeader = parser('authorization-header', {
  words: ['Basic ', 'basic  ', 'Bearer ', '==', '=', 'MTIz', 'Og==', '\t'],
  shapes: fc
    .string({ unit: 'grapheme' })
    .map((pair) => `Basic ${Buffer.from(pair).toString('base64')}`),
  check(input) {
    const header = input.toString('latin1');
    let credentials: ReturnType<typeof readCredentials>;
    try {
      credentials = readCredentials(header);
    } catch (error) {
      assert.ok(error instanceof Refusal, 'threw something else than a refusal');
      assert.equal(error.kind.code, 'invalid_auth_header');
      return;
    }
    const { keyId, apiKey } = credentials;
    assert.ok(header.length <= 1_024, 'accepted a header that is too long');
    assert.ok(!keyId.includes(':'), 'a key id holds a colon');
    const sent = Buffer.from(header.slice(header.lastIndexOf(' ') + 1), 'base64');
    assert.deepEqual(Buffer.from(`${keyId}:${apiKey}`), sent, 'does not round-trip');
    for (const character of keyId + apiKey) {
      const code = character.codePointAt(0) as number;
      assert.ok(code >= 0x20 && !(code >= 0x7f && code <= 0x9f), 'accepted a control character');
    }
  },
});

const paths = new Set(catalogue.map(({ endpoint }) => `/${endpoint}`));

export const requestTarget = parser('request-target', {
  words: ['/api/b2b/v3/', 'overview/', '?', '#', '//', '/../', '%2f', 'http://host', '*', ';'],
  shapes: fc
    .tuple(fc.constantFrom(...paths), fc.webQueryParameters())
    .map(([path, query]) => `${path}?${query}`),
  check(input) {
    const url = input.toString('latin1');
    const call = new Call({ url } as IncomingMessage, {} as ServerResponse, '', 0);
    assert.ok(!call.path.includes('?'), 'the query begins in the path');
    assert.ok(call.query === '' || call.query.startsWith('?'), 'the query begins somewhere else');
    assert.ok(url.endsWith(call.path + call.query), 'a part of the target is lost');
    const endpoint = endpointAt(call.path);
    if (endpoint === undefined) return;
    assert.ok(paths.has(`/${endpoint}`), 'not in the catalogue');
    assert.ok([endpoint, endpoint.slice(0, -1)].includes(call.path.slice(1)), 'another path');
  },
});

const NEVER =
  /^(?:host|authorization|connection|transfer-encoding|te|trailer|upgrade|keep-alive|proxy|proxy-auth.*|proxy-connection|forwarded|x-forwarded-.*|x-bellhop-.*|x-request-id|x-real-ip|x-original-url|x-rewrite-url|expect|.*_.*)$/i;

/** Header lines as they come from the parser of node:http. */
export const forwardedHeaders = parser('forwarded-headers', {
  words: [
    'Connection: ',
    'X-Bellhop-Key-Id: 1',
    'close, ',
    'content-length',
    '\n',
    ': ',
    'X-Forwarded-',
  ],
  shapes: fc
    .array(
      fc.tuple(
        fc.constantFrom('Connection', 'X-A', 'TE', 'x_a', 'Forwarded', 'Accept'),
        fc.string(),
      ),
    )
    .map((headers) => headers.map(([name, value]) => `${name}: ${value}`).join('\n')),
  check(input) {
    const raw = input
      .toString('latin1')
      .split('\n')
      .map((line) => /^([!#$%&'*+.^`|~\w-]+):[ \t]*(.*)$/.exec(line))
      .flatMap((match) => (match ? [match[1] as string, match[2] as string] : []));
    const named = raw
      .filter((_, i) => i % 2 === 1 && raw[i - 1]?.toLowerCase() === 'connection')
      .flatMap((value) => value.toLowerCase().split(','))
      .map((name) => name.trim());
    const passed = requestHeadersToPass(raw, false);
    let from = 0;
    for (let i = 0; i < passed.length; i += 2) {
      const name = passed[i] as string;
      assert.ok(!NEVER.test(name), `passed ${name} on`);
      const isOfThisHop =
        named.includes(name.toLowerCase()) && name.toLowerCase() !== 'content-length';
      assert.ok(!isOfThisHop, `passed ${name} on, which Connection names`);
      while (from < raw.length && (raw[from] !== name || raw[from + 1] !== passed[i + 1]))
        from += 2;
      assert.ok(from < raw.length, 'passed on what nobody sent, or in another order');
      from += 2;
    }
  },
});

const TRACE = `00-${'4bf92f35'.repeat(4)}-00f067aa0ba902b7-01`;

/** The two headers, one a line. */
export const traceContext = parser('trace-context', {
  words: ['00-', 'ff-', '-01', '-00', '0'.repeat(16), TRACE, '\n', 'a=1', ',', '=', '\t'],
  shapes: fc.string({ maxLength: 600 }).map((state) => `${TRACE}\n${state}`),
  check(input) {
    const [traceparent, ...rest] = input.toString('latin1').split('\n');
    const context = readTraceContext(traceparent, rest.length > 0 ? rest.join('\n') : undefined);
    if (!context) return;
    assert.match(context.traceId, /^[0-9a-f]*[1-9a-f][0-9a-f]*$/, 'there is no trace id');
    assert.ok(traceparent?.includes(`-${context.traceId}-${context.spanId}-`), 'another trace');
    for (const value of Object.values(traceHeaders(context))) {
      assert.match(value, /^[\t\x20-\x7e]{1,512}$/, 'a header cannot hold it');
    }
    assert.deepEqual(readStoredTrace(storedTrace(context)), context, 'does not survive its column');
  },
});
