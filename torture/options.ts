import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type SingleFaultName, singleFaults } from './single-faults/single-faults.ts';

export interface Options {
  rounds: number;
  engine: 'sqlite' | 'postgres';
  seed: string;
  secondsPerRound: number;
  /** Number of Bellhop processes; more than one only on PostgreSQL. */
  nodes: number;
  /** How long the pending deliveries may take at the end. */
  drainSeconds: number;
  /** Instead of random faults. */
  fault?: SingleFaultName;
  /** How many power cuts to try instead of rounds of faults. */
  powerCuts?: number | undefined;
}

export class BadUsage extends Error {}

export const USAGE = `Usage: npm run torture -- [--rounds N] [--engine sqlite|postgres] [--nodes N]
                         [--seconds-per-round S] [--drain-seconds S] [--seed TEXT]
       npm run torture -- --fault NAME [--nodes N] [--seconds-per-round S]
       npm run torture -- --power-cuts N [--seconds-per-round S] [--seed TEXT]

Reports order events to Bellhop and lets the receivers fail in every way they can. Meanwhile it kills,
stops and freezes Bellhop at random moments; on PostgreSQL it also kills and restarts the database,
cuts connections, and cuts nodes off from it for longer than their lease. Then it checks what became of
every event, and with several nodes how soon another one took over. Exit 0: nothing is wrong.

  --rounds N              rounds of faults (default: 10)
  --engine E              sqlite (the default) or postgres, which has to be installed
  --nodes N               Bellhop processes on one PostgreSQL, 1 if not given; 3 for takeovers
  --seconds-per-round S   5 if not given
  --drain-seconds S       most time for what is pending at the end, 60 if not given
  --seed TEXT             makes the same choices again
  --power-cuts N          instead of all this: records each write of one embedded Bellhop under load (needs
                          strace), builds N images of what a disk may hold after a power cut, and checks that
                          each opens and has everything that was confirmed before the cut

With --fault it injects this one fault into a cluster of 3 nodes with PostgreSQL, Redis and a load balancer,
and measures how long partners and receivers feel it:

${Object.entries(singleFaults)
  .map(([name, { about }]) => `  ${name.padEnd(22)}  ${about}`)
  .join('\n')}`;

export function readOptions(args: string[]): Options | 'help' {
  const { values } = parse(args);
  if (values.help) return 'help';
  const { fault } = values;
  if (fault !== undefined && !isSingleFault(fault)) {
    throw new BadUsage(
      `--fault must be one of ${Object.keys(singleFaults).join(', ')}, not "${fault}".`,
    );
  }
  const { engine = fault ? 'postgres' : 'sqlite' } = values;
  if (engine !== 'sqlite' && engine !== 'postgres') {
    throw new BadUsage(`--engine must be sqlite or postgres, not "${engine}".`);
  }
  if (fault && engine !== 'postgres') {
    throw new BadUsage('--fault is for --engine postgres, which it implies.');
  }
  const nodes = number('--nodes', values.nodes ?? (fault ? '3' : '1'));
  if (nodes > 1 && engine === 'sqlite') {
    throw new BadUsage('--nodes is for --engine postgres; one process holds an embedded database.');
  }
  return {
    engine,
    nodes,
    rounds: number('--rounds', values.rounds ?? '10'),
    secondsPerRound: number('--seconds-per-round', values['seconds-per-round'] ?? '5'),
    drainSeconds: number('--drain-seconds', values['drain-seconds'] ?? '60'),
    powerCuts: values['power-cuts'] ? number('--power-cuts', values['power-cuts']) : undefined,
    seed: values.seed ?? randomBytes(4).toString('hex'),
    ...(fault && { fault }),
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        rounds: { type: 'string' },
        engine: { type: 'string' },
        seed: { type: 'string' },
        nodes: { type: 'string' },
        fault: { type: 'string' },
        'seconds-per-round': { type: 'string' },
        'drain-seconds': { type: 'string' },
        'power-cuts': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new BadUsage((error as Error).message);
  }
}

function isSingleFault(name: string): name is SingleFaultName {
  return Object.hasOwn(singleFaults, name);
}

function number(name: string, text: string): number {
  const value = Number(text);
  if (!/^\d{1,6}$/.test(text) || value < 1) {
    throw new BadUsage(`${name} must be a whole number of at least 1, not "${text}".`);
  }
  return value;
}
