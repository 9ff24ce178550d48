/** Compares the midoffices of an import with those that exist. */

import {
  type HeaderValues,
  HIDDEN_VALUE,
  sealedHeadersIn,
} from '../../delivery/webhook-headers.ts';
import type { MidofficeRow } from '../../store/schema.ts';
import type { Webhooks } from '../environment.ts';
import { certificateColumn } from '../midoffices/client-certificate.ts';
import { headerField, headersColumn, NO_VALUE } from '../midoffices/headers.ts';
import { midoffice } from '../midoffices/midoffice.ts';
import { newRow } from '../record.ts';
import { readMidoffices } from './known-records.ts';
import { type Plan, planRecord } from './plan-record.ts';
import { noSuch } from './resolve.ts';
import { type StagedMidoffice, stagedSecrets } from './stage.ts';
import type { ResolvedRecord } from './staging.ts';

type Checked = Awaited<ReturnType<Webhooks['checkUrl']>>;

/** Each waits for name servers. */
const URLS_AT_ONCE = 32;

export async function planMidoffices(plan: Plan): Promise<void> {
  const { db, staging } = plan;
  for await (const page of staging.pages('midoffice')) {
    const valid = page.filter(({ action }) => action !== 'invalid');
    const rows = await readMidoffices(
      db,
      valid.flatMap(({ id }) => id ?? []),
    );
    const checked = await checkUrls(plan, valid, rows);
    for (const record of valid) {
      planMidoffice(plan, record, rows.get(record.id ?? ''), checked.get(record.line));
    }
  }
}

/** By line; a URL that is in use already is not checked again. */
async function checkUrls(
  { environment }: Plan,
  page: readonly ResolvedRecord[],
  rows: ReadonlyMap<string, MidofficeRow>,
): Promise<Map<number, Checked>> {
  const checked = new Map<number, Checked>();
  const waiting = page.flatMap(({ line, id, body }) => {
    const { url } = JSON.parse(body) as StagedMidoffice;
    return url === undefined || rows.get(id ?? '')?.url === url ? [] : [{ line, url }];
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
  record: ResolvedRecord,
  before: MidofficeRow | undefined,
  checked: Checked | undefined,
): void {
  const { staging, findings, nowMs, environment } = plan;
  const { line, target, targetId, targetAction, secret } = record;
  const fields = JSON.parse(record.body) as StagedMidoffice;
  const { vault } = environment;
  const { headers, client_certificate: pair } = secret === null ? {} : stagedSecrets(vault, secret);
  const errors = [
    ...errorsIn(record, fields, before, checked),
    ...unknownHeaders(headers, before?.headers ?? null),
  ];
  if (errors.length > 0) {
    for (const [field, detail] of errors) findings.error(line, field, detail);
    staging.decide(line, 'invalid');
    return;
  }
  if (targetAction === 'skip') {
    findings.skip('midoffice', line, `Its signing key "${target}" is skipped.`);
    staging.decide(line, 'skip');
    return;
  }
  const known = before ?? newMidoffice(record, nowMs);
  const after: MidofficeRow = {
    ...known,
    ...fields,
    ...(headers && { headers: headersColumn(vault, known.id, headers, known.headers) }),
    ...(pair !== undefined && {
      client_certificate: certificateColumn(vault, known.id, pair, known.client_certificate),
    }),
    ...(checked?.ok && { url: checked.url }),
    ...(targetId !== null && { signing_key_id: targetId }),
  };
  planRecord(plan, record, { before, after });
}

/** A hidden value leaves a header as it is, so there must be one. */
function unknownHeaders(
  given: HeaderValues | undefined,
  before: string | null,
): [field: string, detail: string][] {
  const known = sealedHeadersIn(before);
  return Object.entries(given ?? {}).flatMap(([name, value]): [string, string][] =>
    value === HIDDEN_VALUE && !known.has(name) ? [[headerField(name), NO_VALUE]] : [],
  );
}

function errorsIn(
  { target, targetId, targetAction }: ResolvedRecord,
  fields: StagedMidoffice,
  before: MidofficeRow | undefined,
  checked: Checked | undefined,
): [field: string, detail: string][] {
  const errors: [string, string][] = [];
  const missing = 'is missing, and there is no such midoffice yet';
  if (!before && fields.url === undefined) errors.push(['/url', missing]);
  if (!before && target === null) errors.push(['/signing_key_ref', missing]);
  if (target !== null && targetId === null && targetAction !== 'invalid') {
    errors.push(['/signing_key_ref', noSuch('key')]);
  }
  if (checked && !checked.ok) {
    errors.push(['/url', `is refused: ${checked.detail.replace(/\.$/, '')}`]);
  }
  return errors;
}

function newMidoffice({ id, ref }: ResolvedRecord, nowMs: number): MidofficeRow {
  const fromLine = { url: '', signing_key_id: '' };
  return newRow(midoffice, { id: id as string, name: ref, created_at: nowMs, ...fromLine });
}
