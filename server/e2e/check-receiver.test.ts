import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  createFastifyPlugin,
  createFetchHandler,
  createNodeHandler,
  memoryTokenStore,
} from '@bellhop/partner';
import {
  type CheckOptions,
  checkReceiver,
  linesFor,
  type Report,
  reportWriter,
} from '@bellhop/partner/receiver-check';
import Fastify from 'fastify';
import ipaddr from 'ipaddr.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { listening } from '../../test/support.ts';
import { createGuardedPost } from '../src/delivery/receiver-check/guarded-post.ts';
import { issueCertificate } from '../testing/certificates.ts';
import { API_KEY, type Flaw, flaws, startPartnerReceiver } from './broken-receivers.ts';
import { check } from './check-receiver-command.ts';

const ALL = linesFor('both').map(({ name }) => name);

/** In this process: starting the command takes a second each time. Returns the text for people as well. */
async function checkHere(url: string, options: Partial<CheckOptions> = {}) {
  const writer = reportWriter((_, text) => text);
  let text = '';
  const report = await checkReceiver({
    url,
    keys: [API_KEY],
    timeoutMs: 10_000,
    post: createGuardedPost({ allow: [ipaddr.parseCIDR('127.0.0.0/8')] }),
    onLine: (line) => {
      text += writer.line(line);
    },
    ...options,
  });
  return { ...report, text: text + writer.end(report) };
}

function named(report: Report, outcome: string): string[] {
  return report.lines.filter((line) => line.outcome === outcome).map(({ name }) => name);
}

const options = () => ({ apiKey: API_KEY, tokenStore: memoryTokenStore(), onEvent() {} });

async function listen(listener: RequestListener): Promise<string> {
  const { url } = await listening(createServer(listener));
  return `${url}/hook`;
}

const handlers: Record<string, () => Promise<string>> = {
  Fetch() {
    const handle = createFetchHandler(options());
    return listen(async (request, response) => {
      const reply = await handle(
        new Request('http://receiver/hook', {
          method: 'POST',
          headers: request.headers as Record<string, string>,
          body: Readable.toWeb(request) as ReadableStream,
          duplex: 'half',
        } as RequestInit),
      );
      response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
    });
  },
  'node:http': () => listen(createNodeHandler(options())),
  async Fastify() {
    const app = Fastify();
    await app.register(createFastifyPlugin({ path: '/hook', ...options() }));
    onTestFinished(() => app.close());
    return `${await app.listen({ port: 0, host: '127.0.0.1' })}/hook`;
  },
  'no package at all': () => startPartnerReceiver(),
};

describe('certifies a correct receiver', () => {
  test.each(Object.keys(handlers))('%s', async (name) => {
    const url = await (handlers[name] as () => Promise<string>)();
    const report = await check(url);
    // Who knows only the specification does not know the headers.
    const warned = name === 'no package at all' ? ['changed-payload'] : [];
    const others = report.lines.filter(({ outcome }) => outcome !== 'passed');
    expect(others.map((line) => [line.name, line.outcome])).toEqual(
      warned.map((line) => [line, 'warned']),
    );
    expect(report).toMatchObject({ code: 0, url, form: 'both', verdict: 'passed' });
    const counts = { passed: ALL.length - warned.length, warned: warned.length };
    expect(report).toMatchObject({ ...counts, failed: 0, skipped: 0 });
    expect(report.lines.map((line) => line.name)).toEqual(ALL);
  });
});

describe('each flaw fails its own lines and no others', () => {
  test.each(Object.keys(flaws) as Flaw[])('%s', async (flaw) => {
    const url = await startPartnerReceiver(flaw);
    const report = await checkHere(url, flaw === 'hangs' ? { timeoutMs: 300 } : {});
    expect(report.verdict).toBe('failed');
    expect(named(report, 'failed')).toEqual(flaws[flaw]);
    expect(report.lines.map(({ name }) => name)).toEqual(ALL);
    const stops = ['hangs', 'redirects', 'crashes on malformed JSON'].includes(flaw);
    expect(report.skipped > 0).toBe(stops);
    expect(JSON.stringify(report)).not.toContain(API_KEY);
  });
});

describe('a payload that was changed under a valid signature in the body', () => {
  const line = (report: Report) => report.lines.find(({ name }) => name === 'changed-payload');

  test('is a warning if the receiver accepts it, also on its own', async () => {
    const report = await check(await startPartnerReceiver(), '--only', 'changed-payload');
    expect(report).toMatchObject({ code: 0, verdict: 'passed', passed: 0, warned: 1 });
    expect(line(report)?.got).toMatch(/^200 after .* does not verify the headers/);
  });

  test('fails the receiver if it answers 500', async () => {
    const handle = createNodeHandler(options());
    const url = await listen((request, response) => {
      const send = response.writeHead.bind(response);
      response.writeHead = ((status: number) => send(status === 401 ? 500 : status)) as typeof send;
      handle(request, response);
    });
    const report = await check(url, '--only', 'changed-payload');
    expect(report).toMatchObject({ code: 1, verdict: 'failed', failed: 1, warned: 0 });
  });
});

describe('skips what it cannot judge, and says why', () => {
  test('after the receiver has crashed', async () => {
    const report = await check(await startPartnerReceiver('crashes on malformed JSON'));
    const crash = report.lines.find(({ name }) => name === 'malformed-json');
    expect(crash?.got).toMatch(/closed the connection .* Then, to the genuine one: .* refused/);
    expect(named(report, 'skipped')).toEqual(
      ALL.slice(ALL.indexOf('empty-body'), ALL.indexOf('in-time')),
    );
    expect(report.lines.find(({ name }) => name === 'huge-body')?.got).toBe(
      'The receiver has not answered since malformed-json.',
    );
  });

  test('if the receiver takes longer than --timeout', async () => {
    const report = await check(await startPartnerReceiver('hangs'), '--timeout', '300ms');
    expect(named(report, 'failed')).toEqual(['in-time']);
    expect(named(report, 'passed')).toEqual([]);
    expect(report.code).toBe(1);
  });

  test('if nothing listens, with the cause at the end', async () => {
    const report = await checkHere('http://127.0.0.1:1/hook');
    expect(named(report, 'failed')).toEqual(['answers']);
    expect(named(report, 'passed')).toEqual([]);
    expect(report.cause).toBe(
      'The receiver refused the connection. Check that it listens on this port.',
    );
    expect(report.text).toContain(`  - ${ALL.length - 1} lines were skipped\n`);
    expect(report.text.split('\n').length).toBeLessThan(20);
    expect(report.text).toMatch(/\nNot passed: .*\nThe receiver refused the connection\. .*\n$/);
  });

  test('if the receiver has another key: then refusing a forgery proves nothing', async () => {
    const report = await checkHere(await startPartnerReceiver(), { keys: ['another'] });
    expect(named(report, 'failed')).toEqual(['data-form']);
    expect(named(report, 'passed')).toEqual(['answers', 'in-time', 'no-redirect', 'no-leak']);
    expect(report.cause).toMatch(
      /^Every genuine webhook got 401: the receiver probably verifies with another API key\./,
    );
    expect(report.text.match(/lines were skipped/g)).toHaveLength(1);
    expect(report.text).toMatch(/\nEvery genuine webhook got 401: .*\n$/);
  });

  test.each([
    [404, '', /^Every genuine webhook got 404: .* Check the path in the URL\.$/, 1],
    [400, 'Client sent an HTTP request to an HTTPS server.', /Write https in the URL\.$/, 1],
    [422, '', /^Every genuine webhook got 422: .* log\.$/, 1],
    [500, '', /^Every genuine webhook got 500: .* log\.$/, 1],
  ])('if every genuine webhook gets %i %s', async (status, reply, cause, failed) => {
    const report = await checkHere(
      await listen((request, response) => {
        request.resume().on('end', () => response.writeHead(status).end(reply));
      }),
    );
    expect(report.cause).toMatch(cause);
    expect(named(report, 'failed')).toHaveLength(failed);
  });

  test('but judges every line of a receiver that fails only where a field is missing', async () => {
    const handle = createFetchHandler(options());
    const report = await checkHere(
      await listen(async (request, response) => {
        const body = await text(request);
        const headers = request.headers as Record<string, string>;
        const { status } = body.includes('agreement_number')
          ? await handle(new Request('http://receiver/hook', { method: 'POST', headers, body }))
          : { status: 500 };
        response.writeHead(status).end();
      }),
    );
    expect(report.cause).toBeNull();
    expect(report.skipped).toBe(0);
    expect(named(report, 'failed')).toContain('data-form');
  });

  test.each([
    ['HTTP/2 only', () => createHttp2Server().on('sessionError', () => {}), /HTTP\/1\.1/],
    ['TLS', () => createHttpsServer(issueCertificate({ name: 'x' })), /^Write https/],
    ['another protocol', () => createTcpServer((one) => one.end('SSH-2.0\r\n')), /the port/],
  ])('with a fix for what it found: %s', async (_, create, fix) => {
    const at = await listening(create());
    const url = `${at.url}/hook`;
    const report = await checkHere(url);
    expect(report.lines[0]).toMatchObject({ name: 'answers', fix: expect.stringMatching(fix) });
    expect(report.cause).toBe(report.lines[0]?.got);
  });

  test('when the time for the whole check is over', async () => {
    const over = new AbortController();
    const report = await checkHere(await startPartnerReceiver(), {
      signal: over.signal,
      onStart: (name) => name === 'repeated-token' && over.abort(),
    });
    expect(report).toMatchObject({ verdict: 'failed', failed: 0 });
    expect(named(report, 'skipped')).toEqual(
      ALL.slice(ALL.indexOf('repeated-token'), ALL.indexOf('in-time')),
    );
    expect(report.lines.find(({ name }) => name === 'huge-body')?.got).toBe(
      'The check as a whole ran out of time.',
    );
  });

  test('does not certify a receiver whose only line was skipped', async () => {
    const report = await check('http://127.0.0.1:1/hook', '--only', 'repeated-token');
    expect(report).toMatchObject({ code: 1, verdict: 'failed', failed: 0, skipped: 1 });
  });
});
