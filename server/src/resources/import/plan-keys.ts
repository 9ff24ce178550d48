/** Compares the keys of an import, with their grants, with those that exist. */

import { previousKeysOf } from '../../base/sealing/previous-keys.ts';
import type { ApiKeyRow } from '../../store/schema.ts';
import { key } from '../keys/key.ts';
import { newRow } from '../record.ts';
import { readKeys } from './known-records.ts';
import { GrantPlans } from './plan-grants.ts';
import { type Plan, planRecord } from './plan-record.ts';
import { noSuch } from './resolve.ts';
import type { StagedKey, StagedSecret } from './stage.ts';
import type { ResolvedRecord } from './staging.ts';

export async function planKeys(plan: Plan): Promise<void> {
  const { db, staging } = plan;
  const grantPlans = new GrantPlans(plan);
  for await (const page of staging.pages('key')) {
    const rows = await readKeys(
      db,
      page.flatMap(({ id }) => id ?? []),
    );
    for (const record of page) {
      if (record.action === 'invalid' || record.targetAction === 'invalid') continue;
      const row = rows.get(record.id ?? '');
      const isPlanned = row
        ? await planKnownKey(plan, grantPlans, record, row)
        : planNewKey(plan, grantPlans, record);
      if (!isPlanned) staging.decide(record.line, 'invalid');
    }
  }
}

/** False if the record has an error. */
function planNewKey(plan: Plan, grantPlans: GrantPlans, record: ResolvedRecord): boolean {
  const { staging, findings, nowMs } = plan;
  const { line, ref, target, targetId } = record;
  if (targetId === null) {
    const detail = target === null ? 'is missing, and there is no such key yet' : noSuch('partner');
    findings.error(line, '/partner_ref', detail);
    return false;
  }
  if (record.secret === null) {
    findings.skip('key', line, 'The line has no api_key, and there is no such key yet.');
    for (const grant of staging.grantsOf(ref)) {
      findings.skip('grant', grant.line, `Its key "${ref}" is skipped.`);
    }
    staging.decide(line, 'skip');
    return true;
  }
  const { endpoints, ...columns } = JSON.parse(record.body) as StagedKey;
  const grants = grantPlans.forNewKey(record, endpoints);
  if (!grants) return false;
  const after = newRow(key, {
    ...columns,
    ...(JSON.parse(record.secret) as StagedSecret).columns,
    key_id: record.id as string,
    partner_id: targetId,
    grant_set: grants.setId,
    created_at: nowMs,
  });
  planRecord(plan, record, { after });
  return true;
}

async function planKnownKey(
  plan: Plan,
  grantPlans: GrantPlans,
  record: ResolvedRecord,
  before: ApiKeyRow,
): Promise<boolean> {
  const { findings } = plan;
  const { line, target, targetId } = record;
  const { endpoints, ...columns } = JSON.parse(record.body) as StagedKey;
  const conflict = conflictOf(record, before);
  if (conflict) {
    findings.error(line, ...conflict);
    return false;
  }
  if (target !== null && targetId === null) {
    findings.error(line, '/partner_ref', noSuch('partner'));
    return false;
  }
  if (before.revoked_at !== null) {
    leaveRevoked(grantPlans, record, columns.revoked_at != null);
    return true;
  }
  const grants = await grantPlans.forKnownKey(record, before, endpoints);
  if (!grants) return false;
  const after = { ...before, ...columns, grant_set: grants.setId };
  const { withdrawn } = grants;
  planRecord(plan, record, { before, after, ...(withdrawn.length > 0 && { more: { withdrawn } }) });
  return true;
}

/** What an import never changes: whose key it is, and its API key. */
function conflictOf(
  { target, targetId, secret }: ResolvedRecord,
  before: ApiKeyRow,
): [field: string, detail: string] | undefined {
  if (target !== null && targetId !== null && targetId !== before.partner_id) {
    return ['/partner_ref', `must be ${before.partner_id}, the partner that has this key`];
  }
  if (secret === null) return undefined;
  const { digests } = JSON.parse(secret) as StagedSecret;
  // After a rotation, the earlier API key also counts as a match.
  const known = [before.digest, ...previousKeysOf(before).map((previous) => previous.digest)];
  if (digests.some((digest) => known.includes(digest))) return undefined;
  return [
    '/api_key',
    'is not the API key that this key has here; leave it out, or rotate the key instead',
  ];
}

function leaveRevoked(
  { plan }: GrantPlans,
  record: ResolvedRecord,
  isRevokedInFile: boolean,
): void {
  const { line, ref } = record;
  const reason = 'The key is revoked here, and a revoked key stays as it is.';
  if (isRevokedInFile) plan.findings.count('key', 'unchanged');
  else plan.findings.skip('key', line, reason);
  for (const grant of plan.staging.grantsOf(ref)) {
    if (isRevokedInFile) plan.findings.count('grant', 'unchanged');
    else plan.findings.skip('grant', grant.line, reason);
  }
  // Midoffices may still sign with it, so it is not skipped for them.
  plan.staging.decide(line, 'unchanged');
}
