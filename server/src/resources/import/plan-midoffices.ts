/** Compares the midoffices of an import with those that exist. */
import type { MidofficeRow } from '../../store/schema.ts';
import type { Webhooks } from '../environment.ts';
import { secretColumns } from '../midoffices/change-midoffice.ts';
import { midoffice } from '../midoffices/midoffice.ts';
import { newRow } from '../record.ts';
import type { LineError } from './findings.ts';
import { accept, type Compared, compared, missingTarget, type Plan, refuse } from './plan.ts';
import { openedSecrets, type StagedMidoffice } from './stage.ts';
import type { LinkedRecord } from './staging.ts';

type Checked = Awaited<ReturnType<Webhooks['checkUrl']>>;

/** Each waits for name servers. */
const URLS_AT_ONCE = 32;

export async function planMidoffices(plan: Plan): Promise<void> {
  for await (const page of compared(plan, 'midoffice')) {
    const checked = await checkUrls(plan, page);
    for (const one of page) planMidoffice(plan, one, checked.get(one[0].line));
  }
}

/** By line; a URL that is in use already is not checked again. */
async function checkUrls(
  { environment }: Plan,
  page: readonly Compared<MidofficeRow>[],
): Promise<Map<number, Checked>> {
  const checked = new Map<number, Checked>();
  const waiting = page.flatMap(([{ line, body }, before]) => {
    const { url } = JSON.parse(body) as StagedMidoffice;
    return url === undefined || before?.url === url ? [] : [{ line, url }];
  });
  async function work(): Promise<void> {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      checked.set(next.line, await environment.webhooks.checkUrl(next.url));
    }
  }
  await Promise.all(Array.from({ length: URLS_AT_ONCE }, work));
  return checked;
}

function planMidoffice(
  plan: Plan,
  [record, before]: Compared<MidofficeRow>,
  checked: Checked | undefined,
): void {
  const { staging, findings, nowMs, environment } = plan;
  const { line, target, targetId, targetAction } = record;
  const { sealed, ...fields } = JSON.parse(record.body) as StagedMidoffice;
  const errors = errorsIn(record, fields, before, checked);
  if (errors.length > 0) {
    refuse(plan, record, errors);
    return;
  }
  if (targetAction === 'skip') {
    findings.skip('midoffice', line, `Its signing key "${target}" is skipped.`);
    staging.decide(line, 'skip');
    return;
  }
  const known = before ?? newMidoffice(record, nowMs);
  const { vault } = environment;
  try {
    accept(plan, record, before, {
      ...known,
      ...fields,
      ...secretColumns(vault, known.id, openedSecrets(vault, sealed), before),
      ...(checked?.ok && { url: checked.url }),
      ...(targetId !== null && { signing_key_id: targetId }),
    });
  } catch (error) {
    findings.problem(line, error);
    staging.decide(line, 'invalid');
  }
}

function errorsIn(
  record: LinkedRecord,
  fields: StagedMidoffice,
  before: MidofficeRow | undefined,
  checked: Checked | undefined,
): LineError[] {
  const { line, target } = record;
  const errors = missingTarget(record, '/signing_key_ref');
  const detail = 'is missing, and there is no such midoffice yet';
  if (!before && fields.url === undefined) errors.push({ line, field: '/url', detail });
  if (!before && target === null) errors.push({ line, field: '/signing_key_ref', detail });
  if (checked && !checked.ok) {
    const refused = `is refused: ${checked.detail.replace(/\.$/, '')}`;
    errors.push({ line, field: '/url', detail: refused });
  }
  return errors;
}

function newMidoffice({ id, ref }: LinkedRecord, nowMs: number): MidofficeRow {
  const fromLine = { url: '', signing_key_id: '' };
  return newRow(midoffice, { id: id as string, name: ref, created_at: nowMs, ...fromLine });
}
