import { parseArgs } from 'node:util';

/** The jobs of a Bellhop process, as in BELLHOP_ROLES. */
export const roles = ['partner-api', 'delivery', 'back-office', 'portal'] as const;
export type Role = (typeof roles)[number];

export interface Options {
  /** The roles of each node. */
  nodes: Role[][];
}

export class BadUsage extends Error {}

const MOST_NODES = 16;

export const USAGE = `Usage: npm run cluster -- [--nodes N] [--roles LIST]...

Starts PostgreSQL, one Redis per environment, Bellhop nodes, and a load balancer in front of them, all on
127.0.0.1 and on free ports: the layout of deploy/compose.yaml. Prints their addresses and runs until
Ctrl-C. Then it stops everything and removes the data. Settings in the environment (BELLHOP_...) are passed
to every node.

  --nodes N      number of nodes, 2 if not given
  --roles LIST   roles of a node: ${roles.join(',')} (all of them if not given).
                 Repeat it for the next node; the last list also applies to all further nodes`;

export function readOptions(args: string[]): Options | 'help' {
  const { values } = parse(args);
  if (values.help) return 'help';
  const { nodes: text = '2' } = values;
  const count = Number(text);
  if (!/^\d+$/.test(text) || count < 1 || count > MOST_NODES) {
    throw new BadUsage(`--nodes must be a whole number from 1 to ${MOST_NODES}, not "${text}".`);
  }
  const lists = (values.roles ?? []).map(readRoles);
  if (lists.length > count) {
    throw new BadUsage(`--roles is given ${lists.length} times for ${count} nodes; raise --nodes.`);
  }
  const nodes = Array.from({ length: count }, (_, i) => lists[i] ?? lists.at(-1) ?? [...roles]);
  return { nodes };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        nodes: { type: 'string' },
        roles: { type: 'string', multiple: true },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new BadUsage((error as Error).message);
  }
}

function readRoles(list: string): Role[] {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !roles.includes(name as Role));
  if (unknown !== undefined) {
    throw new BadUsage(`--roles knows ${roles.join(', ')}, not "${unknown}".`);
  }
  return [...new Set(names as Role[])];
}
