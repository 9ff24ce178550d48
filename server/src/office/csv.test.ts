import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { createLogger } from '../base/logging/logger.ts';
import { pageOfSchema, pageQuery, query, reply } from '../resources/forms.ts';
import { Type } from '../resources/type.ts';
import { serveCsv } from './csv.ts';
import { compileSchema } from './validator.ts';

/** More than any socket buffers. */
const ENDLESS = 1_000;
const PAGE = Array.from({ length: 200 }, () => ({ text: 'x'.repeat(1_000) }));

/** A list of 200 KB pages; `pages.read` counts them, and the one after `failsAfter` cannot be read. */
async function serveList(length: number, failsAfter = length) {
  const logged: string[] = [];
  const pages = { read: 0 };
  const app = Fastify().withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(({ schema }) => compileSchema(schema));
  serveCsv(app as never, {
    clock: new ManualClock(),
    log: createLogger('info', (line) => void logged.push(line)),
  });
  const schema = {
    querystring: query(pageQuery),
    response: { 200: pageOfSchema(reply('Line', { text: Type.String() })) },
  };
  app.get('/support/v1/lines', { schema }, async () => {
    pages.read++;
    if (pages.read > failsAfter) throw new Error('the disk is gone');
    return { items: PAGE, next_cursor: pages.read < length ? 'next' : null };
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  async function get(): Promise<IncomingMessage> {
    const call = request({ port, path: '/support/v1/lines', headers: { accept: 'text/csv' } });
    call.end();
    const [response] = await once(call, 'response');
    return response;
  }
  return { get, pages, logged };
}

/** Resolves once no page was read for a while. */
async function rest(pages: { read: number }): Promise<number> {
  for (;;) {
    const before = pages.read;
    await sleep(200);
    if (pages.read === before) return before;
  }
}

test('other work of the thread runs between two pages', async () => {
  const { get, pages } = await serveList(20);
  /** How many pages had been read at each turn of the event loop. */
  const seen = new Set<number>();
  let turn = setImmediate(function look() {
    seen.add(pages.read);
    turn = setImmediate(look);
  });
  onTestFinished(() => clearImmediate(turn));
  for await (const _chunk of await get()) {
    // Only to read it.
  }
  expect(pages.read).toBe(20);
  expect(seen.size).toBe(21);
});

test('a caller that reads gets every page', async () => {
  const { get, pages } = await serveList(5);
  const response = await get();
  let lines = 0;
  for await (const chunk of response.setEncoding('latin1')) lines += chunk.split('\n').length - 1;
  expect(lines).toBe(1 + 5 * 200);
  expect(pages.read).toBe(5);
});

test('pages are read only as fast as the caller reads', async () => {
  const { get, pages } = await serveList(ENDLESS);
  const response = await get();
  response.pause();
  const whileWaiting = await rest(pages);
  expect(whileWaiting).toBeLessThan(ENDLESS);
  response.resume();
  while (pages.read === whileWaiting) await once(response, 'data');
  expect(pages.read).toBeGreaterThan(whileWaiting);
  response.destroy();
});

test('nothing is read any more once the caller is gone', async () => {
  const { get, pages, logged } = await serveList(ENDLESS);
  const response = await get();
  await once(response, 'data');
  response.destroy();
  expect(await rest(pages)).toBeLessThan(ENDLESS);
  expect(logged).toEqual([]);
});

test('a failure cuts the download off, so that nobody takes it for whole, and is logged', async () => {
  const { get, logged } = await serveList(5, 2);
  const response = await get();
  const read = async () => {
    for await (const _chunk of response);
  };
  await expect(read()).rejects.toThrow('aborted');
  expect(logged).toHaveLength(1);
  expect(JSON.parse(logged[0] ?? '')).toMatchObject({ msg: 'a CSV download was cut off' });
});
