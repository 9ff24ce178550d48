/** Compares the partners of an import with those that exist. */
import { changedRow, isChanged } from '../../store/moving-in/bulk.ts';
import { readPartners } from '../../store/moving-in/known-records.ts';
import type { ResolvedRecord } from '../../store/moving-in/staging.ts';
import type { PartnerRow } from '../../store/schema.ts';
import { readTimeOrNull } from '../input.ts';
import type { PartnerLine } from './lines.ts';
import { inPages } from './pages.ts';
import type { Plan } from './plan.ts';
import { noSuch } from './resolve.ts';

type Fields = Omit<PartnerLine, 'kind' | 'ref' | 'id' | 'midoffice_ref'>;

export async function planPartners(plan: Plan): Promise<void> {
  const { db, staging } = plan;
  await inPages(staging, 'partner', async (page) => {
    const rows = await readPartners(
      db,
      page.flatMap(({ id }) => id ?? []),
    );
    for (const record of page) {
      if (record.action !== 'invalid') planPartner(plan, record, rows.get(record.id ?? ''));
    }
  });
}

function planPartner(
  { staging, findings, nowMs }: Plan,
  record: ResolvedRecord,
  before: PartnerRow | undefined,
): void {
  const { line, target, targetId, targetAction } = record;
  if (target !== null && targetId === null && targetAction !== 'invalid') {
    findings.error(line, '/midoffice_ref', noSuch('midoffice'));
    return;
  }
  const fields = JSON.parse(record.body) as Fields;
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
  const base = before ?? newPartner(record.id as string, nowMs);
  const after = withFields(base, fields, isSkipped ? null : targetId);
  if (!before) {
    staging.decide(line, 'create', after);
    findings.count('partner', 'created');
  } else if (isChanged('partner', before, after)) {
    staging.decide(line, 'change', changedRow('partner', before, after));
    findings.count('partner', 'changed');
  } else {
    staging.decide(line, 'unchanged');
    findings.count('partner', 'unchanged');
  }
}

/** Partners that move in have usually been there for long, so they are not new. */
function newPartner(id: string, nowMs: number): PartnerRow {
  return {
    id,
    name: '',
    integration_started_on: new Date(nowMs).toISOString().slice(0, 10),
    is_new: 0,
    suspended: 0,
    certified_at: null,
    certification_reference: null,
    midoffice_id: null,
    created_at: nowMs,
  };
}

/** An import never takes a certification away: an old file may not know about it. */
function withFields(row: PartnerRow, fields: Fields, midofficeId: string | null): PartnerRow {
  const { name, integration_started_on: startedOn, is_new: isNew, suspended } = fields;
  const certifiedAt = readTimeOrNull(fields.certified_at, '/certified_at');
  return {
    ...row,
    ...(name !== undefined && { name }),
    ...(startedOn !== undefined && { integration_started_on: startedOn }),
    ...(isNew !== undefined && { is_new: Number(isNew) }),
    ...(suspended !== undefined && { suspended: Number(suspended) }),
    ...(certifiedAt !== null && {
      certified_at: certifiedAt,
      certification_reference: fields.certification_reference ?? row.certification_reference,
    }),
    ...(midofficeId !== null && { midoffice_id: midofficeId }),
  };
}
