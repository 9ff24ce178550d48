/** The load balancer in front of the nodes: HAProxy, or nginx where only that is installed. */
import { delimiter, join } from 'node:path';
import { folderWith, pathFolders } from '../kit/find.ts';
import { freePort } from '../kit/free-port.ts';
import { startThrowAway, type ThrowAwayServer } from '../kit/throw-away-server.ts';
import { haproxy } from './haproxy.ts';
import { nginx } from './nginx.ts';
import { type Addresses, type Listener, listeners } from './node.ts';

/** A listener of the balancer with the nodes behind it. */
export interface Frontend {
  listener: Listener;
  port: number;
  nodes: Backend[];
}

export interface Backend {
  name: string;
  /** host:port */
  target: string;
  /** The port that serves /health/ready/…; undefined if the node has no back office. */
  healthPort: number | undefined;
}

export interface BalancerKind {
  name: string;
  program: string;
  accounts: string[];
  /** Writes the configuration into the folder and returns the arguments. */
  configure(folder: string, frontends: readonly Frontend[]): string[];
  stopSignal: NodeJS.Signals;
}

export interface Balancer {
  name: string;
  addresses: Addresses;
  server: ThrowAwayServer;
}

export const HOW_TO_GET =
  'No load balancer is installed. Install one (apt-get install haproxy, or nginx) to call the nodes through one address.';

/** Users other than root often have no sbin on their PATH. */
const SBIN = ['/usr/local/sbin', '/usr/sbin'].join(delimiter);

export const balancerKinds: readonly BalancerKind[] = [haproxy, nginx];

/** Null if it is not installed. */
export function findProgram(
  { program }: BalancerKind,
  folders = [...pathFolders(), ...pathFolders(SBIN)],
): string | null {
  const folder = folderWith([program], folders);
  return folder && join(folder, program);
}

export function findBalancer(): BalancerKind | null {
  return balancerKinds.find((kind) => findProgram(kind) !== null) ?? null;
}

/** Null if none is installed. */
export async function startBalancer(
  nodes: readonly { name: string; addresses: Addresses }[],
  kind = findBalancer(),
): Promise<Balancer | null> {
  const program = kind && findProgram(kind);
  if (!program) return null;
  const frontends: Frontend[] = [];
  const addresses: Addresses = {};
  for (const listener of listeners) {
    const serving = nodes.filter((node) => node.addresses[listener] !== undefined);
    if (serving.length === 0) continue;
    const port = await freePort();
    addresses[listener] = `http://127.0.0.1:${port}`;
    frontends.push({ listener, port, nodes: serving.map((node) => backendOf(node, listener)) });
  }
  const [first] = Object.values(addresses);
  if (first === undefined) return null;
  const server = await startThrowAway({
    name: kind.name,
    accounts: kind.accounts,
    serve: ({ folder }) => ({ program, args: kind.configure(folder, frontends) }),
    url: () => first,
    // Any answer shows that it listens; whether a node is behind it is another question.
    answers: async (url) => void (await fetch(url)),
    stopSignal: kind.stopSignal,
    endSignal: kind.stopSignal,
  });
  return { name: kind.name, addresses, server };
}

function backendOf(
  { name, addresses }: { name: string; addresses: Addresses },
  listener: Listener,
): Backend {
  const { backOffice } = addresses;
  return {
    name,
    target: new URL(addresses[listener] as string).host,
    healthPort: backOffice === undefined ? undefined : Number(new URL(backOffice).port),
  };
}
