/** Compares the keys of an import, with their grants, with those that exist. */
import { previousKeysOf } from '../../base/sealing/previous-keys.ts';
import type { ApiKeyRow } from '../../store/schema.ts';
import { key } from '../keys/key.ts';
import { newRow } from '../record.ts';
import type { LineError } from './findings.ts';
import { accept, type Compared, compared, missingTarget, type Plan, refuse } from './plan.ts';
import { GrantPlans } from './plan-grants.ts';
import { grantedOn, type StagedKey } from './stage.ts';
import type { LinkedRecord, StagedGrant } from './staging.ts';

export async function planKeys(plan: Plan): Promise<void> {
  const grantPlans = new GrantPlans(plan);
  for await (const page of compared(plan, 'key')) {
    for (const one of page) {
      if (one[0].targetAction !== 'invalid') await planKey(plan, grantPlans, one);
    }
  }
}

async function planKey(
  plan: Plan,
  grantPlans: GrantPlans,
  [record, before]: Compared<ApiKeyRow>,
): Promise<void> {
  const { endpoints, secret, ...columns } = JSON.parse(record.body) as StagedKey;
  const lines = plan.staging.grantsOf(record);
  const errors = [
    ...grantedTwice(lines),
    ...missingTarget(record, '/partner_ref'),
    ...conflicts(record, before, secret?.digests),
  ];
  if (errors.length > 0) return refuse(plan, record, errors);
  if (before?.revoked_at != null) {
    return leaveRevoked(plan, record, lines, columns.revoked_at != null);
  }
  if (!before && !secret) {
    const reason = 'The line has no api_key, and there is no such key yet.';
    skip(plan, record, lines, reason, `Its key "${record.ref}" is skipped.`);
    plan.staging.decide(record.line, 'skip');
    return;
  }
  const partnerId = before?.partner_id ?? (record.targetId as string);
  const grants = await grantPlans.of({ partnerId, before, lines, endpoints });
  if (grants.errors) return refuse(plan, record, grants.errors);
  const { setId: grant_set, withdrawn } = grants;
  const known =
    before ??
    newRow(key, {
      ...secret?.columns,
      key_id: record.id as string,
      partner_id: partnerId,
      grant_set,
      created_at: plan.nowMs,
    });
  accept(plan, record, before, { ...known, ...columns, grant_set }, { withdrawn });
}

/** Grants may name one key by its key id and by its ref. */
function grantedTwice(lines: readonly StagedGrant[]): LineError[] {
  const first = new Map<string, number>();
  return lines
    .toSorted((a, b) => a.line - b.line)
    .flatMap(({ line, endpoint }) => {
      const earlier = first.get(endpoint);
      if (earlier !== undefined) return { line, field: '/endpoint', detail: grantedOn(earlier) };
      first.set(endpoint, line);
      return [];
    });
}

/** An import never changes whose key it is, nor its API key. */
function conflicts(
  { line, target, targetId }: LinkedRecord,
  before: ApiKeyRow | undefined,
  digests: readonly string[] | undefined,
): LineError[] {
  if (!before) {
    const detail = 'is missing, and there is no such key yet';
    return target === null ? [{ line, field: '/partner_ref', detail }] : [];
  }
  const errors: LineError[] = [];
  if (targetId !== null && targetId !== before.partner_id) {
    const detail = `must be ${before.partner_id}, the partner that has this key`;
    errors.push({ line, field: '/partner_ref', detail });
  }
  // After a rotation, the earlier API key also counts as a match.
  const known = [before.digest, ...previousKeysOf(before).map((previous) => previous.digest)];
  if (digests && !digests.some((digest) => known.includes(digest))) {
    const detail =
      'is not the API key that this key has here; leave it out, or rotate the key instead';
    errors.push({ line, field: '/api_key', detail });
  }
  return errors;
}

function leaveRevoked(
  plan: Plan,
  record: LinkedRecord,
  lines: readonly StagedGrant[],
  isRevokedInFile: boolean,
): void {
  const reason = 'The key is revoked here, and a revoked key stays as it is.';
  if (isRevokedInFile) {
    plan.findings.count('key', 'unchanged');
    for (const _line of lines) plan.findings.count('grant', 'unchanged');
  } else skip(plan, record, lines, reason, reason);
  // Midoffices may still sign with it, so it is not skipped for them.
  plan.staging.decide(record.line, 'unchanged');
}

function skip(
  { findings }: Plan,
  { line }: LinkedRecord,
  lines: readonly StagedGrant[],
  reason: string,
  reasonOfGrants: string,
): void {
  findings.skip('key', line, reason);
  for (const grant of lines) findings.skip('grant', grant.line, reasonOfGrants);
}
