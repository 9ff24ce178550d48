/** Compares the partners of an import with those that exist. */

import type { PartnerRow } from '../../store/schema.ts';
import { partner } from '../partners/partner.ts';
import { newRow } from '../record.ts';
import { readPartners } from './known-records.ts';
import { type Plan, planRecord } from './plan-record.ts';
import { noSuch } from './resolve.ts';
import type { StagedPartner } from './stage.ts';
import type { ResolvedRecord } from './staging.ts';

export async function planPartners(plan: Plan): Promise<void> {
  const { db, staging } = plan;
  for await (const page of staging.pages('partner')) {
    const rows = await readPartners(
      db,
      page.flatMap(({ id }) => id ?? []),
    );
    for (const record of page) {
      if (record.action !== 'invalid') planPartner(plan, record, rows.get(record.id ?? ''));
    }
  }
}

function planPartner(plan: Plan, record: ResolvedRecord, before: PartnerRow | undefined): void {
  const { findings, nowMs } = plan;
  const { line, target, targetId, targetAction } = record;
  if (target !== null && targetId === null && targetAction !== 'invalid') {
    findings.error(line, '/midoffice_ref', noSuch('midoffice'));
    return;
  }
  const fields = JSON.parse(record.body) as StagedPartner;
  if (!before && fields.name === undefined) {
    findings.error(line, '/name', 'is missing, and there is no such partner yet');
    return;
  }
  const isSkipped = targetAction === 'skip';
  if (isSkipped) {
    findings.note(
      line,
      'The partner is imported without its midoffice, because that one is skipped.',
    );
  }
  const after: PartnerRow = {
    ...(before ?? newPartner(record.id as string, nowMs)),
    ...fields,
    ...(targetId !== null && !isSkipped && { midoffice_id: targetId }),
  };
  planRecord(plan, record, { before, after });
}

/** Partners that move in usually started long ago, so they are not new. */
function newPartner(id: string, nowMs: number): PartnerRow {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return newRow(partner, { id, name: '', integration_started_on: today, created_at: nowMs });
}
