/**
 * Decides for every record whether it is created, changed, left as it is or skipped. It only reads: a dry run ends
 * after it, and the transaction that follows otherwise is as short as it can be.
 */

import { planKeys } from './plan-keys.ts';
import { planMidoffices } from './plan-midoffices.ts';
import { planPartners } from './plan-partners.ts';
import type { Plan } from './plan-record.ts';
import { resolveRefs } from './resolve.ts';

/** In this order: a midoffice whose signing key is skipped is skipped too, and its partners get none. */
export async function planImport(plan: Plan): Promise<void> {
  await resolveRefs(plan);
  await planKeys(plan);
  await planMidoffices(plan);
  await planPartners(plan);
}
