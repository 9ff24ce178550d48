/** Compares the partners of an import with those that exist. */
import type { PartnerRow } from '../../store/schema.ts';
import { partner } from '../partners/partner.ts';
import { newRow } from '../record.ts';
import { accept, type Compared, compared, missingTarget, type Plan, refuse } from './plan.ts';
import type { StagedPartner } from './stage.ts';

export async function planPartners(plan: Plan): Promise<void> {
  for await (const page of compared(plan, 'partner')) {
    for (const one of page) planPartner(plan, one);
  }
}

function planPartner(plan: Plan, [record, before]: Compared<PartnerRow>): void {
  const { line, targetId, targetAction } = record;
  const fields = JSON.parse(record.body) as StagedPartner;
  const errors = missingTarget(record, '/midoffice_ref');
  if (!before && fields.name === undefined) {
    errors.push({ line, field: '/name', detail: 'is missing, and there is no such partner yet' });
  }
  if (errors.length > 0) {
    refuse(plan, record, errors);
    return;
  }
  const isSkipped = targetAction === 'skip';
  if (isSkipped) {
    plan.findings.note(
      line,
      'The partner is imported without its midoffice, because that one is skipped.',
    );
  }
  accept(plan, record, before, {
    ...(before ?? newPartner(record.id as string, plan.nowMs)),
    ...fields,
    ...(targetId !== null && !isSkipped && { midoffice_id: targetId }),
  });
}

/** Partners that move in usually started long ago, so they are not new. */
function newPartner(id: string, nowMs: number): PartnerRow {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return newRow(partner, { id, name: '', integration_started_on: today, created_at: nowMs });
}
