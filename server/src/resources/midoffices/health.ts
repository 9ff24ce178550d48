/**
 * What became of a midoffice's webhooks lately: whether its receiver answers, how many wait, and how many were given up.
 *
 * Whether a midoffice's receiver answers. The attempts of webhooks decide; before the first of them, the latest
 * test event does. A midoffice that nothing was ever sent to is untested: nobody knows.
 */

import type { Static } from 'typebox';
import { countPendingOf, exhaustedOf } from '../../store/queue/backlog.ts';
import type { Database } from '../../store/schema.ts';
import { MOST_EXHAUSTED, MOST_PENDING } from '../deliveries/backlog.ts';
import type { Warnings } from '../forms.ts';
import { attemptedMidoffices, readTestOutcomes } from './queries.ts';
import { warningsAbout } from './signing-key.ts';

export const midofficeHealths = ['untested', 'healthy', 'failing'] as const;
export type MidofficeHealth = (typeof midofficeHealths)[number];

interface Judged {
  id: string;
  failing_since: string | null;
}

export interface Health {
  health: MidofficeHealth;
  /** Accepted, and neither delivered nor given up. */
  pending: number;
  /** Not recovered, and not acknowledged by anybody. */
  exhausted: number;
  warnings: Static<typeof Warnings>;
}

export async function oneWithHealth<Shown extends Judged>(
  db: Database,
  midoffice: Shown,
): Promise<Shown & Health> {
  const [judged] = await withHealth(db, [midoffice]);
  return judged as Shown & Health;
}

export async function withHealth<Shown extends Judged>(
  db: Database,
  midoffices: readonly Shown[],
): Promise<(Shown & Health)[]> {
  const ids = midoffices.map(({ id }) => id);
  const health = await judge(db, midoffices);
  const pending = await countPendingOf(db, ids, MOST_PENDING);
  const exhausted = await exhaustedOf(db, ids, MOST_EXHAUSTED.ofMidoffice);
  const warnings = await warningsAbout(db, ids);
  return midoffices.map((midoffice) => ({
    ...midoffice,
    pending: pending.get(midoffice.id) ?? 0,
    exhausted: exhausted.get(midoffice.id) ?? 0,
    health: health(midoffice),
    warnings: warnings(midoffice.id),
  }));
}

/** Whether the receiver of each answers, without how much waits for it. */
export async function judge(
  db: Database,
  midoffices: readonly Judged[],
): Promise<(midoffice: Judged) => MidofficeHealth> {
  const ids = midoffices.map(({ id }) => id);
  const attempted = await attemptedMidoffices(db, ids);
  const tests = await readTestOutcomes(db, ids);
  return ({ id, failing_since }) => healthOf(failing_since, attempted.has(id), tests.get(id));
}

function healthOf(
  failingSince: string | null,
  wasAttempted: boolean,
  lastTest: 'delivered' | 'failed' | undefined,
): MidofficeHealth {
  if (failingSince !== null) return 'failing';
  if (wasAttempted) return 'healthy';
  if (lastTest === undefined) return 'untested';
  return lastTest === 'delivered' ? 'healthy' : 'failing';
}
