/** A single fault, chosen with `--fault`: what it does to a cluster at work, and what must not suffer. */
import type { Settings } from '../../kit/bellhop.ts';
import type { PostgresOptions } from '../../kit/postgres.ts';
import type { Database, PostgresSide } from '../database.ts';
import type { Ledger } from '../ledger.ts';
import type { BellhopNode, Nodes } from '../nodes.ts';
import type { Ownership } from '../ownership.ts';
import type { RedisSide } from '../redis.ts';
import type { RevokedKeys } from '../revoked-keys.ts';

/** What a fault can reach. */
export interface Stage {
  nodes: Nodes;
  /** The node that faults of one node choose. */
  victim: BellhopNode;
  database: Database;
  postgres: PostgresSide;
  redis: RedisSide;
  ownership: Ownership;
  revokedKeys: RevokedKeys;
  ledger: Ledger;
  /** For files that end with the run. */
  folder: string;
  /** Ends what a fault has started; called when the run ends. */
  closing: AsyncDisposableStack;
}

export interface SingleFault {
  /** For --help and for people: what happens. */
  about: string;
  /** Time to recovery counts from the start of a fault that others make up for, otherwise from its end. */
  recoversFrom: 'start' | 'end';
  /** Not one partner call may fail. */
  flawless?: true;
  /** For every node from its first start on. */
  nodeSettings?(folder: string): Settings;
  /** For every node that starts after the fault. */
  settingsAfter?: Settings;
  /** PostgreSQL's own settings. */
  postgresSettings?: readonly string[];
  /** Before PostgreSQL starts. */
  placePostgres?(folder: string, closing: AsyncDisposableStack): PostgresOptions;
  /** Before the nodes start. */
  prepare?(stage: Pick<Stage, 'postgres' | 'redis' | 'closing'>): Promise<void>;
  /** Injects the fault and repairs it. */
  strike(stage: Stage): Promise<void>;
}

/** Longer than a lease, with time for others to take over and to work. */
export const PAST_LEASE_MS = 9_000;
/** Shorter than a lease. */
export const WHILE_MS = 4_000;
