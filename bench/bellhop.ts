/** Bellhop as shipped: a separate process, log level info, metrics on, embedded database. */
import { join } from 'node:path';
import { FREE_PORTS } from '../kit/bellhop.ts';
import type { Session } from './bench.ts';
import { type Started, startNode } from './processes.ts';

export const OVERVIEW_PATH = '/api/b2b/v3/overview/';
export const ADMIN_TOKEN = 'bench-bench-bench-bench-bench-bench';

export interface Bellhop extends Started {
  sandbox: string;
  backOffice: string;
  portal: string;
}

export async function startBellhop(
  session: Session,
  dataDir: string,
  env: Record<string, string> = {},
  /** Another checkout, with what it needs installed. */
  checkout = '',
): Promise<Bellhop> {
  session.progress('starting Bellhop');
  const started = await startNode(session, join(checkout, 'server/bin/bellhop.js'), ['serve'], {
    env: {
      BELLHOP_DATA_DIR: dataDir,
      ...FREE_PORTS,
      BELLHOP_ADMIN_TOKEN: ADMIN_TOKEN,
      BELLHOP_DEMO: 'off',
      ...env,
    },
    // To profile: BENCH_NODE_ARGS="--cpu-prof --cpu-prof-dir=/tmp/profile".
    nodeArgs: process.env.BENCH_NODE_ARGS?.split(' ') ?? [],
  });
  const { sandbox, backOffice, portal } = JSON.parse(started.ready) as Bellhop;
  return { ...started, sandbox, backOffice, portal };
}

/** Calls the support API of the sandbox. */
export async function support<T>(
  { backOffice }: Bellhop,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const reply = await fetch(`${backOffice}/support/v1/sandbox${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  return (await reply.json()) as T;
}
