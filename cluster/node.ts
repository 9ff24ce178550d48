/** One Bellhop process of a cluster, on ports that stay the same when it restarts. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Addresses as All, BELLHOP, processEnv, type Settings } from '../kit/bellhop.ts';
import { freePort } from '../kit/free-port.ts';
import { startThrowAway, type ThrowAwayServer } from '../kit/throw-away-server.ts';
import type { Role } from './options.ts';

const READY = /^ready (?=\{)/m;

/** The names under which the ready line gives the addresses. */
export const listeners = ['production', 'sandbox', 'backOffice', 'portal'] as const;
export type Listener = keyof All;

const servedBy: Record<Listener, { setting: string; role: Role }> = {
  production: { setting: 'BELLHOP_PRODUCTION_PORT', role: 'partner-api' },
  sandbox: { setting: 'BELLHOP_SANDBOX_PORT', role: 'partner-api' },
  backOffice: { setting: 'BELLHOP_BACK_OFFICE_PORT', role: 'back-office' },
  portal: { setting: 'BELLHOP_PORTAL_PORT', role: 'portal' },
};
/** Only what is served. */
export type Addresses = Partial<All>;

export interface ClusterNode {
  name: string;
  roles: readonly Role[];
  addresses: Addresses;
  server: ThrowAwayServer;
}

export async function startNode(
  name: string,
  nodeRoles: readonly Role[],
  settings: Settings,
): Promise<ClusterNode> {
  const { ports, addresses } = await choosePorts(nodeRoles);
  let logFile = '';
  let logged = 0;
  const server = await startThrowAway({
    name,
    serve({ folder }) {
      logFile = join(folder, 'server.log');
      // A restart must wait for a ready line of its own.
      logged = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
      return {
        program: process.execPath,
        args: [BELLHOP, 'serve'],
        env: {
          ...processEnv,
          ...settings,
          ...ports,
          BELLHOP_ROLES: nodeRoles.join(),
          BELLHOP_DATA_DIR: join(folder, 'data'),
        },
      };
    },
    url: () => addresses.backOffice ?? addresses.production ?? '',
    // The only sign of life of a node that listens nowhere.
    async answers() {
      if (!READY.test(readFrom(logFile, logged))) throw new Error(`${name} is not ready.`);
    },
    stopSignal: 'SIGTERM',
    endSignal: 'SIGTERM',
  });
  return { name, roles: nodeRoles, addresses, server };
}

/** Ports for every listener, and the addresses of those that a node with these roles serves. */
export async function choosePorts(
  nodeRoles: readonly Role[],
): Promise<{ ports: Settings; addresses: Addresses }> {
  const ports: Settings = {};
  const addresses: Addresses = {};
  for (const listener of listeners) {
    const port = await freePort();
    const { setting, role } = servedBy[listener];
    ports[setting] = String(port);
    if (nodeRoles.includes(role)) addresses[listener] = `http://127.0.0.1:${port}`;
  }
  return { ports, addresses };
}

function readFrom(file: string, start: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(statSync(file).size - start);
    readSync(descriptor, bytes, 0, bytes.length, start);
    return bytes.toString();
  } finally {
    closeSync(descriptor);
  }
}
