import { OVERVIEW } from '../catalogue.ts';
import { defaultGrant, type Grant } from '../grants.ts';
import type { PartnerRow } from '../store/schema.ts';
import type { Desk } from './desk.ts';
import { readGrantSet } from './grant-sets.ts';
import { replaceGrants } from './grants.ts';
import { readEndpoint } from './key-fields.ts';
import { findLivingKey } from './keys.ts';
import { findPartner } from './partners.ts';
import { Problem } from './problem.ts';

export interface GrantInput {
  endpoint: string;
  is_active?: boolean;
  is_debug_mode?: boolean;
  is_limited?: boolean;
  requests_number?: number;
  seconds_number?: number;
  approval_reference?: string;
}

export interface GrantWarning {
  code: 'seconds_exceed_requests';
  detail: string;
}

/** Grants an endpoint, or changes the grant; what is not said stays as it is. */
export async function putGrant(
  desk: Desk,
  actor: string,
  keyId: string,
  { approval_reference, ...input }: GrantInput,
): Promise<Grant & { warnings: GrantWarning[] }> {
  const endpoint = readEndpoint(input.endpoint, '/endpoint');
  if (endpoint === OVERVIEW && input.is_active === false) {
    throw new Problem('overview_always_active');
  }
  return desk.store.change(actor, async (change) => {
    const key = await findLivingKey(change.db, keyId);
    const grants = await readGrantSet(change.db, key.grant_set);
    const before = grants.of(endpoint);
    const baseline = before ?? defaultGrant(endpoint);
    const after: Grant = { ...baseline, ...input, endpoint };
    if (desk.environment === 'production' && letsMoreThrough(baseline, after)) {
      checkRaise(await findPartner(change.db, key.partner_id), approval_reference);
    }
    await replaceGrants(change, key, grants.with(after));
    await change.audit('key.grant', keyId, before ?? null, {
      ...after,
      ...(approval_reference !== undefined && { approval_reference }),
    });
    return { ...after, warnings: warningsAbout(after) };
  });
}

/**
 * Whether some caller could get more in than before, counted over the old window: that many new
 * windows can begin inside it, each full. So 30 a minute to 10 every 10 seconds is a raise as well.
 */
export function letsMoreThrough(before: Grant, after: Grant): boolean {
  if (!before.is_limited) return false;
  if (!after.is_limited) return true;
  const windowsInside = Math.ceil(before.seconds_number / after.seconds_number);
  return after.requests_number * windowsInside > before.requests_number;
}

function checkRaise(partner: PartnerRow, approvalReference: string | undefined): void {
  if (partner.certified_at === null) throw new Problem('certification_required');
  if (!approvalReference) throw new Problem('approval_required');
}

function warningsAbout(grant: Grant): GrantWarning[] {
  if (grant.seconds_number <= grant.requests_number) return [];
  return [
    {
      code: 'seconds_exceed_requests',
      detail: `seconds_number (${grant.seconds_number}) should not exceed requests_number (${grant.requests_number}).`,
    },
  ];
}
