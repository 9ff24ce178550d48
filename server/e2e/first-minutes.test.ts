/** What a developer sees and does in the first minutes, on a real terminal, with the default settings. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { processEnv } from '../../kit/bellhop.ts';
import { folderWith, pathFolders } from '../../kit/find.ts';
import { temporaryFolder } from '../../test/support.ts';
import { Condition } from '../testing/condition.ts';
import { repository } from '../testing/shell-in-markdown.ts';
import { pointingAt, runCommand, startCommand } from './cli-command.ts';

// These tests start whole processes, which is slow on a busy machine.
const BELLHOP = fileURLToPath(new URL('../bin/bellhop.js', import.meta.url));
const FREE_PORTS = {
  BELLHOP_PRODUCTION_PORT: '0',
  BELLHOP_SANDBOX_PORT: '0',
  BELLHOP_BACK_OFFICE_PORT: '0',
  BELLHOP_PORTAL_PORT: '0',
};

const USUAL_ADDRESSES = {
  production: 'http://127.0.0.1:8080',
  sandbox: 'http://127.0.0.1:8081',
  backOffice: 'http://127.0.0.1:8090',
  portal: 'http://127.0.0.1:8085',
};

/** `bellhop` alone, in a folder of its own, on a terminal made by script(1). */
async function startOnTerminal(settings: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  const child = spawn('script', ['-qec', `${process.execPath} ${BELLHOP}`, '/dev/null'], {
    cwd: folder,
    env: { ...processEnv, ...FREE_PORTS, TERM: 'xterm', SHELL: '/bin/sh', ...settings },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const gone = once(child, 'exit');
  let output = '';
  const changed = new Condition();
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
    changed.look();
  });
  // Closing the terminal does not end it; Ctrl-C does.
  const stop = async () => {
    child.stdin.write('\u0003');
    await gone;
  };
  onTestFinished(async () => {
    if (child.exitCode === null) await stop();
  });
  const text = () => stripVTControlCharacters(output).replaceAll('\r', '');
  const shows = (pattern: RegExp) => changed.until(() => pattern.test(text()));
  await shows(/^ready .*\n/m);
  const addresses = JSON.parse(/^ready (.*)$/m.exec(text())?.[1] as string);
  const dataDir = join(folder, 'data');
  return { folder, dataDir, addresses, text, output: () => output, shows, stop };
}

describe.skipIf(folderWith(['script'], pathFolders()) === null)('a start on a terminal', () => {
  test('says where the console and the token are and what to try, and all of it works', async () => {
    const stub = startCommand(['stub-upstream', '--port', '0', '--json']);
    await stub.printed(1);
    const upstream = JSON.parse(stub.lines[0] as string).url;
    const bellhop = await startOnTerminal({ BELLHOP_SANDBOX_UPSTREAM_URL: upstream });
    const { addresses, dataDir, text } = bellhop;

    const [, before = ''] = /^([\s\S]*?)^ready /m.exec(text()) ?? [];
    expect(before).toContain(`\n  Console      ${addresses.backOffice}/\n`);
    expect(before).toContain(`\n  Portal       ${addresses.portal}/  for partners\n`);
    expect(before).toContain('\n  Admin token  in the file data/admin.token\n');
    expect(before).toMatch(/^ {4}npx bellhop listen --sandbox {2}receive webhooks/m);
    expect(before).toMatch(/^ {4}npx bellhop trigger +report an order/m);
    // It has an upstream already.
    expect(before).not.toContain('stub-upstream');
    // Only what is to be copied as one line is wider than a terminal.
    const wide = before.split('\n').filter((line) => line.length > 80);
    expect(wide.filter((line) => !/^ {2}(curl|Admin token for) /.test(line))).toEqual([]);

    // Production never calls this machine.
    const check = await fetch(`${addresses.backOffice}/support/v1/production/receiver-check`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${readFileSync(join(dataDir, 'admin.token'), 'utf8').trim()}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ url: 'https://127.0.0.1:4242/hook' }),
    });
    expect(await check.json()).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^127\.0\.0\.1 is not a public address/),
    });

    const here = { ...pointingAt(addresses), BELLHOP_TOKEN: '', BELLHOP_DATA_DIR: dataDir };
    const listener = startCommand(['listen', '--sandbox', '--port', '0', '--json'], here);
    await listener.printed(1);
    expect(await runCommand(['trigger', '--watch'], here)).toMatchObject({ code: 0 });
    await listener.printed(2);
    expect(JSON.parse(listener.lines[1] as string)).toMatchObject({ verified: true });
    await bellhop.shows(/ {2}info {3}sandbox {2}webhook attempt 1 delivered 200 {2}delivery_id=/);

    const [, credentials = ''] = /curl -u (\S+) /.exec(before) ?? [];
    const call = await fetch(`${addresses.sandbox}/api/b2b/v3/search/hp/?a=1&b=2&b=3`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(credentials)}`,
        'content-type': 'application/json',
        'x-own': 'yes',
      },
      body: '{"id":"x"}',
    });
    expect(await call.json()).toEqual({
      data: {
        method: 'POST',
        path: '/api/b2b/v3/search/hp/',
        query: { a: '1', b: ['2', '3'] },
        headers: expect.objectContaining({
          'x-own': 'yes',
          'x-bellhop-environment': 'sandbox',
          'x-bellhop-key-id': credentials.split(':')[0],
        }),
        body: { id: 'x' },
      },
      debug: null,
      error: null,
      status: 'ok',
    });
    await stub.printed(2);
    expect(JSON.parse(stub.lines[1] as string)).toMatchObject({ kind: 'call', answered: 200 });
    await bellhop.shows(/ {2}info {3}sandbox {2}POST api\/b2b\/v3\/search\/hp\/ 200 {2}key_id=/);
  });

  test('writes JSON there if the setting says so, and plain text without colours', async () => {
    const { addresses, shows, text, output } = await startOnTerminal({
      BELLHOP_LOG_FORMAT: 'json',
      NO_COLOR: '1',
    });
    await fetch(addresses.sandbox);
    await shows(/^\{"level":"info",.*"msg":"request"\}$/m);
    expect(output()).not.toContain('\u001b');
    // What the quick start shows, but for the ports and what is secret.
    const quickStart = readFileSync(join(repository, 'docs', 'quick-start.md'), 'utf8');
    const [, sample] = /^```text start\n(.*?)^```$/ms.exec(quickStart) ?? [];
    const asShown = Object.entries(USUAL_ADDRESSES)
      .reduce((all, [name, usual]) => all.replaceAll(addresses[name], usual), text())
      .replace(/(?<=Admin token for .*: ).*/, '…')
      .replace(/(?<=curl -u )\d+:\S+/, '7645443719:…');
    expect(asShown).toContain(sample);
  });
});
