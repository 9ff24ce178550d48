/**
 * Decides for every record whether it is created, changed, left as it is or skipped. It only reads: a dry run ends
 * after it, and the transaction that follows otherwise is as short as it can be.
 */

import type { SupportEnvironment } from '../resources/environment.ts';
import type { Database } from '../store/schema.ts';
import type { Findings } from './findings.ts';
import { planKeys } from './plan-keys.ts';
import { planMidoffices } from './plan-midoffices.ts';
import { planPartners } from './plan-partners.ts';
import { resolveRefs } from './resolve.ts';
import type { Staging } from './staging.ts';

export interface Plan {
  environment: SupportEnvironment;
  db: Database;
  staging: Staging;
  findings: Findings;
  nowMs: number;
  /** For every raised limit whose line has none of its own. */
  approval: string | undefined;
}

/** In this order: a midoffice whose signing key is skipped is skipped too, and its partners get none. */
export async function planImport(plan: Plan): Promise<void> {
  await resolveRefs(plan);
  await planKeys(plan);
  await planMidoffices(plan);
  await planPartners(plan);
}
