/**
 * Runs docs/quick-start.md as it is, and with it the commands of the README. Only the ports and the data folder differ: the page's ports may be
 * in use, and the test must not touch anyone's own data.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Started, startProcess } from '../../kit/process.ts';
import { freePort, temporaryFolder } from '../../test/support.ts';
import {
  repository,
  runShell,
  shellBlock,
  shellBlocks,
  shellEnvironment,
} from '../testing/shell-in-markdown.ts';

// This starts a process through npm, which is slow on a busy machine.
const PAGE = 'docs/quick-start.md';

test('every command of the quick start works, up to a genuine webhook and a forwarded call', async () => {
  const folder = await temporaryFolder();
  const ports = await freePorts(8080, 8081, 8090, 8095, 9000);
  const onPorts = (code: string) =>
    code.replaceAll(/127\.0\.0\.1:(\d+)|(?<=listen\()(\d+)/g, (found, inUrl, listened) => {
      const port = inUrl ?? listened;
      return found.replace(port, ports.get(port) ?? 'unknown-port');
    });

  // It has been run already. Running it again would remove the packages while other tests use them.
  expect(shellBlock(PAGE, 'already-done')).toBe('npm ci\n');
  const settings = {
    BELLHOP_DATA_DIR: join(folder, 'data'),
    BELLHOP_PRODUCTION_PORT: ports.get('8080') as string,
    BELLHOP_SANDBOX_PORT: ports.get('8081') as string,
    BELLHOP_BACK_OFFICE_PORT: ports.get('8090') as string,
    BELLHOP_PORTAL_PORT: '0',
    BELLHOP_LOG_LEVEL: 'silent',
  };
  const server = await inItsTerminal(shellBlock(PAGE, 'server'), repository, settings, /^ready /);

  const listen = `${shellBlock(PAGE, 'listen').trimEnd()} --port 0`;
  const listening = await inItsTerminal(listen, repository, settings, /Ctrl-C|listening/i);
  await runShell(shellBlock(PAGE, 'trigger'), { env: settings });
  await listening.line(/ created +order-\w+ +verified +attempt 1 +answered 200$/);
  await pressCtrlC(listening);

  const receiver = onPorts(shellBlock(PAGE, 'receiver'));
  await inItsTerminal(receiver, folder, {}, /^listening$/);

  const commands = shellBlocks(PAGE).filter(({ kind }) => kind === '');
  expect(commands).toHaveLength(5);
  const output = await runShell(onPorts(commands.map(({ code }) => code).join('\n')), {
    cwd: folder,
  });

  expect(output).toContain('HTTP/1.1 200 OK');
  expect(output).toMatch(/^x-ratelimit-remaining: 99\r?$/im);
  expect(output.match(/"endpoint":/g)).toHaveLength(43);
  expect(output).toMatch(/"outcome":"queued"/);
  const webhook = JSON.parse(readFileSync(join(folder, 'webhook.json'), 'utf8'));
  expect(webhook.data).toEqual({ type: 'created', partner_order_id: 'order-4711' });
  const [computed, received] = output.trimEnd().split('\n').slice(-2);
  expect(received).toBe(webhook.signature.signature);
  expect(computed?.endsWith(` ${received}`)).toBe(true);

  const stub = shellBlock(PAGE, 'stub').replace(/$/m, ` --port ${ports.get('8095')}`);
  await inItsTerminal(stub, repository, {}, /^Echoing calls/);
  await pressCtrlC(server);
  const withUpstream = onPorts(shellBlock(PAGE, 'server-with-upstream'));
  await inItsTerminal(withUpstream, repository, settings, /^ready /);
  const [, KEY_ID = '', API_KEY = ''] = /^(\d+) (\S+)$/m.exec(output) ?? [];
  const echo = await runShell(onPorts(shellBlock(PAGE, 'call')), { env: { KEY_ID, API_KEY } });
  expect(JSON.parse(echo)).toMatchObject({
    data: {
      path: '/api/b2b/v3/search/hp/',
      query: { any: 'query' },
      headers: { 'x-bellhop-key-id': KEY_ID },
      body: { any: 'body' },
    },
    status: 'ok',
  });
});

test('the README has commands of the quick start', () => {
  const { listen, trigger, server } = Object.fromEntries(
    shellBlocks(PAGE).map(({ kind, code }) => [kind, code]),
  );
  expect(shellBlocks('README.md').map(({ code }) => code)).toEqual([
    `npm ci && ${server}`,
    listen,
    trigger,
    'npm ci && npm test\n',
  ]);
});

async function freePorts(...written: number[]): Promise<Map<string, string>> {
  const ports = new Map<string, string>();
  for (const port of written) ports.set(String(port), String(await freePort()));
  return ports;
}

/** Resolves when it prints a matching line; it is stopped after the test. */
async function inItsTerminal(
  code: string,
  cwd: string,
  env: Record<string, string>,
  begun: RegExp,
): Promise<Started> {
  const started = startProcess(['bash', '-c', code], {
    cwd,
    env: shellEnvironment(env),
    // Its own process group, because npm starts a shell that starts the server.
    detached: true,
  });
  onTestFinished(() => endGroup(started, 'SIGKILL'));
  await started.line(begun);
  return started;
}

const pressCtrlC = (started: Started) => endGroup(started, 'SIGINT');

async function endGroup({ child, exit }: Started, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  process.kill(-child.pid, signal);
  await exit;
}
