/**
 * A real Bellhop for whole-system tests: in this process, or as a child process that can be killed. Both
 * listen on free ports, keep their data in a temporary folder and are stopped after the test.
 */
import type { ChildProcess } from 'node:child_process';
import { onTestFinished } from 'vitest';
import {
  type Addresses,
  FREE_PORTS,
  ready,
  type ServeOptions,
  type Settings,
  serve,
} from '../../kit/bellhop.ts';
import type { Started } from '../../kit/process.ts';
import { dataFolder, temporaryFolder } from '../../test/support.ts';
import { type Running, start } from '../src/main/main.ts';
import { servicesInThisThread } from './services-in-this-thread.ts';

export const ADMIN_TOKEN = 'test-admin-token-0123456789';

export type { Addresses };

/** Tests wait until calls are in the usage history and recorded. In a process of its own that takes 10 seconds and one. */
const CALLS_EVERY_MS = 100;

export interface TestBellhop {
  addresses: Addresses;
  /** Calls the back office with the admin token, or with another. */
  support(method: string, path: string, body?: unknown, token?: string): Promise<SupportReply>;
  /** Creates a partner with one key; resolves to what a caller needs. */
  newKey(environment: 'production' | 'sandbox', key?: object): Promise<TestKey>;
  stop(): Promise<void>;
}

export interface SupportReply {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at any reply.
  body: any;
}

export interface TestKey {
  keyId: string;
  apiKey: string;
  partnerId: string;
  /** The value of an Authorization header. */
  authorization: string;
}

export async function settingsForTest(settings: Settings): Promise<Settings> {
  return {
    BELLHOP_DATA_DIR: settings.BELLHOP_DATA_DIR ?? (await newDataFolder(settings)),
    ...FREE_PORTS,
    BELLHOP_ADMIN_TOKEN: ADMIN_TOKEN,
    BELLHOP_DEMO: 'off',
    BELLHOP_LOG_LEVEL: 'silent',
    ...settings,
  };
}

/** With the tables, unless the databases are elsewhere or the test brings the master key. */
function newDataFolder(settings: Settings): Promise<string> {
  const isElsewhere = Object.keys(settings).some((name) => /_(DATABASE_URL|MASTER_KEY)/.test(name));
  return isElsewhere ? temporaryFolder() : dataFolder();
}

/** In this thread; the test stops it. `say` gets the lines of its start. */
export async function startHere(
  settings: Settings,
  say: (line: string) => void = () => {},
): Promise<Running> {
  const given = await settingsForTest(settings);
  return start(given, say, undefined, servicesInThisThread, CALLS_EVERY_MS);
}

/** In this process: fast, and its errors show here. */
export async function startBellhop(
  settings: Settings = {},
  loadServices = servicesInThisThread,
): Promise<TestBellhop> {
  const given = await settingsForTest(settings);
  const running = await start(given, () => {}, undefined, loadServices, CALLS_EVERY_MS);
  onTestFinished(() => running.stop());
  void running.failed.then((sentence) => {
    throw new Error(sentence);
  });
  return helpersOf(running);
}

export interface BellhopProcess extends TestBellhop {
  child: ChildProcess;
  /** Everything it printed up to and including the ready line. */
  startText: string[];
  /** kill -9; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Only the process, without waiting for it; killed after the test. */
export function spawnServe(settings: Settings, options?: ServeOptions): Started {
  const started = serve(settings, options);
  onTestFinished(async () => void (await started.end('SIGKILL')));
  return started;
}

/** As a separate process, which can be killed. `preload` is a module that it loads first. */
export async function spawnBellhop(
  settings: Settings = {},
  { preload, ...options }: ServeOptions & { preload?: URL } = {},
): Promise<BellhopProcess> {
  const nodeArgs = preload ? ['--import', preload.href] : [];
  const given = await settingsForTest(settings);
  const { started, addresses } = await servedBy(() => spawnServe(given, { ...options, nodeArgs }));
  return {
    ...withHelpers(addresses, async () => void (await started.end())),
    child: started.child,
    startText: started.lines,
    kill: async () => void (await started.end('SIGKILL')),
  };
}

const UNAVAILABLE = 69;
const STARTS = 3;

/** Starts again what ended because a part was unavailable, as a supervisor does: machines stand still for seconds. */
async function servedBy(spawn: () => Started) {
  for (let start = 1; ; start++) {
    const started = spawn();
    try {
      return { started, addresses: await ready(started) };
    } catch (error) {
      const { code } = await started.exit;
      if (code !== UNAVAILABLE || start === STARTS) throw error;
    }
  }
}

/** What `start` says, typed: the settings of the test decide which addresses there are. */
export function helpersOf({ addresses, stop }: Pick<Running, 'addresses' | 'stop'>): TestBellhop {
  return withHelpers(addresses as unknown as Addresses, stop);
}

export function withHelpers(addresses: Addresses, stop: () => Promise<void>): TestBellhop {
  async function support(
    method: string,
    path: string,
    body?: unknown,
    token = ADMIN_TOKEN,
  ): Promise<SupportReply> {
    const reply = await fetch(addresses.backOffice + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, body: text && JSON.parse(text) };
  }
  return {
    addresses,
    support,
    stop,
    async newKey(environment, key = {}) {
      const partner = await support('POST', `/support/v1/${environment}/partners`, {
        name: 'Test partner',
        integration_started_on: '2025-11-01',
        is_new: true,
      });
      const path = `/support/v1/${environment}/partners/${partner.body.id}/keys`;
      const { status, body } = await support('POST', path, key);
      // Otherwise, the first call with it would be refused, and nobody would know why.
      if (status !== 201) throw new Error(`no key: ${status} ${JSON.stringify(body)}`);
      return {
        keyId: body.key_id,
        apiKey: body.api_key,
        partnerId: partner.body.id,
        authorization: basic(body.key_id, body.api_key),
      };
    },
  };
}

export function basic(keyId: string, apiKey: string): string {
  return `Basic ${Buffer.from(`${keyId}:${apiKey}`).toString('base64')}`;
}
