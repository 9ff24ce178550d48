/**
 * The partner guide's snippets, run in each language that this machine has, on genuine, forged and
 * stale webhooks from the signer that delivery uses. The code shown in the guide is the code run.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createTokenMaker, type WebhookToSign } from '@bellhop/partner';
import { sign, signContent, signWebhook } from '@bellhop/partner/node';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { verify, verifyToken } from '../../docs/partner-guide/snippets/verify.ts';
import { pathFolders } from '../../kit/find.ts';
import { temporaryFolder } from '../../test/support.ts';

const guide = join(import.meta.dirname, '..', '..', 'docs', 'partner-guide');
const snippets = join(guide, 'snippets');
const API_KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';
const newToken = createTokenMaker();
const run = promisify(execFile);

interface Case {
  name: string;
  expected: string;
  /** The drivers' input: see snippets/drivers/README.md. */
  line: string;
}

/** Created right before use, because they become stale within 15 seconds. */
function cases(): Case[] {
  const now = Math.floor(Date.now() / 1_000);
  const toSign: WebhookToSign = {
    webhookId: 'evt_1',
    event: { type: 'updated', partnerOrderId: 'Zimmer 7 🛎', agreementNumber: 'A-7' },
    form: 'both',
    timestamp: now,
    token: newToken(),
    bodyKey: API_KEY,
    headerKeys: [API_KEY],
  };
  const genuine = signWebhook(toSign);
  const request = (changes: Partial<WebhookToSign>) => {
    const { body, headers } = signWebhook({ ...toSign, ...changes });
    return requestLine(headers, body);
  };
  const moved = { ...genuine.headers, 'webhook-timestamp': String(now + 1) };
  const { 'webhook-signature': _, ...unsigned } = genuine.headers;
  const token = (key: string, timestamp: number) =>
    ['token', sign(key, timestamp, 'tok'), timestamp, 'tok'].join('\t');
  const tampered = genuine.body.replaceAll('Zimmer 7', 'Zimmer 8');
  const spelled = signContent(API_KEY, 'evt_1', now, genuine.body).replace('=', '');
  return [
    { name: 'genuine', expected: 'genuine', line: requestLine(genuine.headers, genuine.body) },
    { name: 'flat', expected: 'genuine', line: request({ form: 'flat' }) },
    { name: 'rotated', expected: 'genuine', line: request({ headerKeys: ['new', API_KEY] }) },
    { name: 'delayed on the way', expected: 'genuine', line: request({ timestamp: now - 5 }) },
    { name: 'forged', expected: 'bad_signature', line: request({ headerKeys: ['other'] }) },
    { name: 'tampered', expected: 'bad_signature', line: requestLine(genuine.headers, tampered) },
    { name: 'new time', expected: 'bad_signature', line: requestLine(moved, genuine.body) },
    {
      name: 'shortened signature',
      expected: 'bad_signature',
      line: requestLine({ ...unsigned, 'webhook-signature': `v1,${spelled}` }, genuine.body),
    },
    { name: 'stale', expected: 'stale', line: request({ timestamp: now - 60 }) },
    { name: 'from the future', expected: 'stale', line: request({ timestamp: now + 120 }) },
    { name: 'unsigned', expected: 'malformed', line: requestLine(unsigned, genuine.body) },
    {
      name: 'no time',
      expected: 'malformed',
      line: requestLine({ ...genuine.headers, 'webhook-timestamp': '1e9' }, genuine.body),
    },
    { name: 'token, genuine', expected: 'genuine', line: token(API_KEY, now) },
    { name: 'token, forged', expected: 'bad_signature', line: token('other', now) },
    { name: 'token, stale', expected: 'stale', line: token(API_KEY, now - 60) },
    {
      name: 'token, the published vector',
      expected: 'stale',
      line: 'token\t0206b33906ca4acfe407dc3b4a7fe4129b36022729cf8bca8ca06ee1c8bec3da\t1574146939\td3395025-1ee7-49a2-bd86-e4bd6b9908b2',
    },
  ];
}

function requestLine(headers: Record<string, string>, body: string): string {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const values = names.map((name) => headers[name] ?? '-');
  return ['request', ...values, Buffer.from(body).toString('base64')].join('\t');
}

function expectRight(given: Case[], verdicts: string[]): void {
  const judged = given.map(({ name }, i) => [name, verdicts[i]]);
  expect(judged).toEqual(given.map(({ name, expected }) => [name, expected]));
}

/** Does what the drivers of the other languages do. */
function drive({ line }: Case): string {
  const [kind, ...fields] = line.split('\t') as [string, string, string, string, string];
  if (kind === 'token') return verifyToken(API_KEY, fields[0], Number(fields[1]), fields[2]);
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const headers = Object.fromEntries(
    names.map((name, i) => [name, fields[i]]).filter(([, value]) => value !== '-'),
  );
  return verify(API_KEY, headers, Buffer.from(fields[3], 'base64'));
}

interface Language {
  file: string;
  program: string;
  /** Run once, before any webhook is created: compiling takes longer than a webhook stays fresh. */
  compile?: string[][];
  command: string[];
}

const languages: Record<string, Language> = {
  Python: { file: 'verify.py', program: 'python3', command: ['python3', 'drive.py'] },
  PHP: { file: 'verify.php', program: 'php', command: ['php', 'drive.php'] },
  Go: {
    file: 'verify.go',
    program: 'go',
    compile: [['go', 'build', '-o', 'drive', 'verify.go', 'drive.go']],
    command: ['./drive'],
  },
  Java: {
    file: 'Verify.java',
    program: 'javac',
    compile: [['javac', 'Verify.java', 'Drive.java']],
    command: ['java', 'Drive'],
  },
  'C#': {
    file: 'Verify.cs',
    program: 'dotnet',
    compile: [['dotnet', 'build', 'drive.csproj', '-o', 'out']],
    command: ['dotnet', 'out/drive.dll'],
  },
};

function isHere(program: string): boolean {
  return pathFolders().some((folder) => existsSync(join(folder, program)));
}

describe('the snippet judges webhooks correctly in', () => {
  test('TypeScript', () => {
    const given = cases();
    expectRight(given, given.map(drive));
  });

  for (const [name, { program, compile = [], command }] of Object.entries(languages)) {
    const isMissing = !isHere(program);
    const title = isMissing ? `${name}: skipped, there is no ${program} on this machine` : name;
    test.skipIf(isMissing)(title, { timeout: 180_000 }, async () => {
      const cwd = await temporaryFolder();
      await cp(snippets, cwd, { recursive: true });
      await cp(join(snippets, 'drivers'), cwd, { recursive: true });
      // Go and .NET need a home folder for their caches.
      const env = { HOME: cwd, ...process.env, API_KEY };
      for (const [compiler = '', ...args] of compile) await run(compiler, args, { cwd, env });
      const given = cases();
      const [started = '', ...args] = command;
      const running = run(started, args, { cwd, env });
      running.child.stdin?.end(given.map(({ line }) => `${line}\n`).join(''));
      expectRight(given, (await running).stdout.trim().split(/\r?\n/));
    });
  }
});

describe('the guide', () => {
  let pages: Map<string, string>;
  beforeAll(async () => {
    const names = (await readdir(guide)).filter((name) => name.endsWith('.md'));
    pages = new Map();
    for (const name of names) pages.set(name, await readFile(join(guide, name), 'utf8'));
  });

  test.each(['verify.ts', ...Object.values(languages).map(({ file }) => file)])(
    'shows the exact code of %s',
    async (file) => {
      const code = await readFile(join(snippets, file), 'utf8');
      expect(pages.get('verify.md')).toContain(`\n${code}\`\`\``);
    },
  );

  test('has no broken links', () => {
    for (const [name, text] of pages) {
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        expect(existsSync(join(guide, target)), `${name}: ${target}`).toBe(true);
      }
    }
  });
});

describe('the page about verifying', () => {
  const page = readFileSync(join(guide, 'verify.md'), 'utf8');

  test('has a test vector for the signature in the headers', () => {
    const [, id = '', body = '', signature = ''] =
      /`webhook-id` `(\w+)`, the body `(\{.+?\})` \| `(v1,\S+)`/.exec(page) ?? [];
    expect(`v1,${signContent(API_KEY, id, 1_574_146_939, body)}`).toBe(signature);
    expect(page).toContain(
      `\`${sign(API_KEY, 1_574_146_939, 'd3395025-1ee7-49a2-bd86-e4bd6b9908b2')}\``,
    );
  });

  test('says which secret the libraries of Standard Webhooks take, and they verify with it', () => {
    const secret = Buffer.from(API_KEY).toString('base64');
    expect(page).toContain(`\`${secret}\``);
    const webhook = new Webhook(secret);
    const { body, headers } = signWebhook({
      webhookId: 'evt_1',
      event: { type: 'updated', partnerOrderId: 'Zimmer 7 🛎' },
      form: 'data',
      timestamp: Math.floor(Date.now() / 1_000),
      token: newToken(),
      bodyKey: API_KEY,
      // While a rotation overlaps, there are several signatures.
      headerKeys: ['new', API_KEY],
    });
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, `${value}`]),
    );
    expect(webhook.verify(body, sent)).toMatchObject({ data: { type: 'updated' } });
    expect(() => webhook.verify(body.replace('updated', 'created'), sent)).toThrow();
  });
});
