import type { Server } from 'node:http';
import { openPort } from '@bellhop/partner/command-line';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogue, OVERVIEW } from '../base/catalogue.ts';
import { createEchoUpstream, type EchoedCall } from './stub-upstream.ts';

let server: Server;
let address: string;
const calls: EchoedCall[] = [];

beforeAll(async () => {
  server = createEchoUpstream((call) => calls.push(call));
  address = `http://127.0.0.1:${await openPort(server, 0, '127.0.0.1')}`;
});
afterAll(() => void server.close());

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${address}/${path}`, init);
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it expects.
  const envelope: any = await response.json();
  return { code: response.status, names: Object.keys(envelope).join(), ...envelope };
}

test('answers all 42 endpoints, with and without the trailing slash, and nothing else', async () => {
  const forwarded = catalogue.map(({ endpoint }) => endpoint).filter((one) => one !== OVERVIEW);
  expect(forwarded).toHaveLength(42);
  for (const endpoint of forwarded) {
    for (const path of [endpoint, endpoint.slice(0, -1)]) {
      expect(await ask(path)).toMatchObject({
        data: { method: 'GET', path: `/${path}`, query: {}, body: null },
        error: null,
      });
    }
  }
  for (const path of [OVERVIEW, 'api/b2b/v3/search/', '', '/', 'api/b2b/v3/search/hp/x']) {
    expect(await ask(path)).toMatchObject({
      data: null,
      error: { code: 'endpoint_not_found' },
    });
  }
  expect(calls.at(-1)).toMatchObject({ answered: 404, keyId: undefined });
});

test('keeps the order of the envelope', async () => {
  expect((await ask('api/b2b/v3/search/hp/')).names).toBe('data,debug,error,status');
});

test.each([
  ['application/json', '{"a":[1]}', { a: [1] }],
  ['application/problem+json; charset=utf-8', 'null', null],
  ['application/json', '{not json', '{not json'],
  ['text/plain', '{"a":1}', '{"a":1}'],
  ['application/x-www-form-urlencoded', 'a=1&b=ü', 'a=1&b=ü'],
])('echoes a body of type %s: %s', async (type, body, echoed) => {
  const headers = { 'content-type': type };
  const { data } = await ask('api/b2b/v3/search/hp/', { method: 'POST', headers, body });
  expect(data.body).toEqual(echoed);
});

test('echoes no credentials', async () => {
  const { data } = await ask('api/b2b/v3/search/hp/', {
    headers: { authorization: 'Basic c2VjcmV0' },
  });
  expect(data.headers.authorization).toBe('(not echoed)');
});

test('refuses a body that the partner API would refuse', async () => {
  const body = 'x'.repeat(1_048_577);
  const { code, error } = await ask('api/b2b/v3/search/hp/', { method: 'POST', body });
  expect([code, error.code]).toEqual([413, 'body_too_large']);
});
