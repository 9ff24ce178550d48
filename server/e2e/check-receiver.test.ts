import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
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
import { listening, temporaryFolder } from '../../test/support.ts';
import { createGuardedPost } from '../src/delivery/receiver-check/guarded-post.ts';
import { issueCertificate } from '../testing/certificates.ts';
import { API_KEY, type Flaw, flaws, startPartnerReceiver } from './broken-receivers.ts';

// These tests start whole processes, which is slow on a busy machine.
const BELLHOP = fileURLToPath(new URL('../bin/bellhop.js', import.meta.url));
const ALL = linesFor('both').map(({ name }) => name);
/** Nothing listens here; it is never called. */
const NOBODY = 'http://127.0.0.1:9/hook';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

function bellhop(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const settings = { PATH: process.env.PATH ?? '', BELLHOP_API_KEY: API_KEY, ...env };
  return new Promise((resolve) => {
    const command = [BELLHOP, 'check-receiver', ...args];
    execFile(process.execPath, command, { env: settings }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

async function check(url: string, ...args: string[]): Promise<Report & { code: number }> {
  const { code, stdout, stderr } = await bellhop([url, '--json', ...args]);
  expect(stderr).toBe('');
  return { code, ...JSON.parse(stdout) };
}

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

test('requires only the body forms that were asked for', async () => {
  const url = await startPartnerReceiver('knows the data form only');
  const data = await check(url, '--form', 'data');
  expect(data).toMatchObject({ code: 0, form: 'data' });
  expect(data.lines.map(({ name }) => name)).not.toContain('flat-form');
  const flat = await check(url, '--form', 'flat', '--only', 'flat-form');
  expect(flat).toMatchObject({ code: 1, failed: 1 });
});

describe('the report', () => {
  test('for people has rows, explains failures, ends with the verdict, and has no colours when piped', async () => {
    const good = await bellhop([(await handlers['node:http']?.()) as string]);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toMatch(/^Checking http/);
    expect(good.stdout).toMatch(/^ {2}✓ repeated-token +refuses a repeated token: 401 after/m);
    expect(good.stdout).toMatch(
      new RegExp(`\nPassed: all ${ALL.length} lines passed, in [\\d.]+ s\\.\n$`),
    );
    const bad = await bellhop([await startPartnerReceiver('ignores repeated tokens')]);
    expect(bad).toMatchObject({ code: 1, stderr: '' });
    expect(bad.stdout).toMatch(/✗ repeated-token .*\n {6}sent .*\n {6}expected .*\n {6}got +200 /);
    expect(bad.stdout).toMatch(/\n {6}why (.|\n)*\n {6}fix /);
    expect(bad.stdout).toMatch(/\nNot passed: 1 of \d+ lines failed, 0 skipped, \d+ passed/);
    const warned = await bellhop([await startPartnerReceiver()]);
    expect(warned).toMatchObject({ code: 0, stderr: '' });
    expect(warned.stdout).toMatch(/^ {2}! changed-payload .*: warned\n {6}sent /m);
    expect(warned.stdout).toMatch(
      new RegExp(
        `\nPassed with a warning: ${ALL.length - 1} of ${ALL.length} lines passed, 1 warned, in [\\d.]+ s\\.\n$`,
      ),
    );
    expect(good.stdout + bad.stdout + warned.stdout).not.toContain('\u001b');
  });

  test('has colours if they are forced, as on a terminal', async () => {
    const url = await startPartnerReceiver();
    const { stdout } = await bellhop([url, '--only', 'answers'], { FORCE_COLOR: '1' });
    expect(stdout).toContain('\u001b[32m');
    expect(stdout).toMatch(
      /Passed.*: all 1 lines asked for passed, .* To check the whole receiver, run the others too\./,
    );
  });

  test('as JUnit goes to a file besides the text, or alone to stdout', async () => {
    const url = await startPartnerReceiver('answers 204');
    const file = join(await temporaryFolder(), 'report.xml');
    const beside = await bellhop([url, '--junit', file]);
    expect(beside.code).toBe(1);
    expect(beside.stdout).toContain('Not passed');
    const xml = await readFile(file, 'utf8');
    expect(xml).toMatch(/^<\?xml .*\n<testsuites name="check-receiver http.*" failures="1"/);
    expect(xml.match(/<testcase /g)).toHaveLength(ALL.length);
    expect(xml).toMatch(/name="status-200">\n {6}<failure message="\d+ of \d+: 204\.">/);
    const alone = await bellhop([url, '--junit', '-']);
    expect(alone.stdout).toMatch(/^<\?xml (.|\n)*<\/testsuites>\n$/);
  });
});

test('--list names the lines and sends nothing', async () => {
  const { code, stdout } = await bellhop(['--list'], { BELLHOP_API_KEY: '' });
  expect(code).toBe(0);
  for (const name of ALL) expect(stdout).toContain(`\n${name} `);
  const json = await bellhop(['--list', '--json', '--only', 'answers']);
  expect(JSON.parse(json.stdout)).toMatchObject([{ name: 'answers', group: 'accepts' }]);
});

describe('exits with 2 and one sentence for bad usage:', () => {
  test.each<[string[], RegExp]>([
    [[], /^Which receiver\?/],
    [['not a url'], /^This is not a URL/],
    [['ftp://127.0.0.1/'], /^ftp: can't be called/],
    [['localhost:9000'], /^The URL has no scheme\. Write https:\/\/localhost:9000 /],
    [['example.com/hook'], /^The URL has no scheme\. Write https:\/\/example\.com\/hook /],
    [['http://user:pw@127.0.0.1/'], /user name or password/],
    [
      [NOBODY, '--api-key='],
      /^Pass the API key that the receiver verifies with: --api-key, or BELLHOP_API_KEY/,
    ],
    [[NOBODY, '--timeout', 'soon'], /^--timeout must be a time such as/],
    [[NOBODY, '--timeout', '0s'], /^--timeout must be longer than 0/],
    [[NOBODY, '--form', 'xml'], /^--form must be data, flat or both/],
    [[NOBODY, '--only', 'everything'], /^There is no line "everything"/],
    [[NOBODY, '--json', '--junit', '-'], /^--json and --junit - cannot both be printed/],
    [[NOBODY, '--junit', '/nonesuch/report.xml'], /^--junit cannot write/],
    [[NOBODY, '--markdown'], /^--markdown only works with --list/],
    [[NOBODY, '--fast'], /^"bellhop check-receiver" has no "--fast"\. /],
    [[NOBODY, 'more'], /^"bellhop check-receiver" has no "more"\. /],
  ])('%j', async (args, sentence) => {
    const { code, stdout, stderr } = await bellhop(args, {
      BELLHOP_API_KEY: args.includes('--api-key=') ? '' : API_KEY,
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).toMatch(/^.*\.\n$/);
  });
});
