import { letsMoreThrough } from '@bellhop/rules/raise';
import type { Static } from 'typebox';
import { OVERVIEW } from '../../catalogue.ts';
import { defaultGrant, type Grant } from '../../grants.ts';
import type { PartnerRow } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { keyToChange } from '../keys/key.ts';
import { findPartner } from '../partners/partner.ts';
import { Problem } from '../problem.ts';
import { type GrantInput, type GrantWithWarnings, readEndpoint } from './grant.ts';
import { replaceGrants } from './grants.ts';
import { readGrantSet, readWithdrawnGrant } from './queries.ts';

/**
 * Grants an endpoint, or changes the grant. Fields that are not given stay as they are. A grant counts as a
 * raise if it lets more through than the key's last grant, so withdrawing a grant and granting it again does
 * not avoid the approval. If the key never had the endpoint, the catalogue's limit counts as its last grant.
 */
export async function putGrant(
  { name, store }: SupportEnvironment,
  actor: string,
  keyId: string,
  { approval_reference, expected_sales_volume, ...input }: Static<typeof GrantInput>,
): Promise<Static<typeof GrantWithWarnings>> {
  const endpoint = readEndpoint(input.endpoint, '/endpoint');
  if (endpoint === OVERVIEW && input.is_active === false) {
    throw new Problem('overview_always_active');
  }
  return store.change(actor, async (change) => {
    const key = await keyToChange(change.db, keyId);
    const grants = await readGrantSet(change.db, key.grant_set);
    const before = grants.of(endpoint);
    const last = before ?? (await readWithdrawnGrant(change.db, keyId, endpoint));
    const after: Grant = { ...(before ?? newGrant(endpoint, last)), ...input, endpoint };
    const isRaise = letsMoreThrough(last ?? defaultGrant(endpoint), after);
    if (name === 'production' && isRaise) {
      checkRaise(await findPartner(change.db, key.partner_id), approval_reference);
    }
    await replaceGrants(change, keyId, grants.with(after));
    await change.audit('key.grant', keyId, before ?? null, {
      ...after,
      ...(approval_reference !== undefined && { approval_reference }),
      ...(expected_sales_volume !== undefined && { expected_sales_volume }),
    });
    return { ...after, warnings: warningsAbout(after) };
  });
}

/** The catalogue's grant, with the limit of the key's last grant if that lets less through. */
export function newGrant(endpoint: string, last: Grant | undefined): Grant {
  const usual = defaultGrant(endpoint);
  if (!last || !letsMoreThrough(last, usual)) return usual;
  const { is_limited, requests_number, seconds_number } = last;
  return { ...usual, is_limited, requests_number, seconds_number };
}

function checkRaise(partner: PartnerRow, approvalReference: string | undefined): void {
  if (partner.certified_at === null) throw new Problem('certification_required');
  if (!approvalReference) throw new Problem('approval_required');
}

function warningsAbout(grant: Grant): Static<typeof GrantWithWarnings>['warnings'] {
  if (grant.seconds_number <= grant.requests_number) return [];
  return [
    {
      code: 'seconds_exceed_requests',
      detail: `seconds_number (${grant.seconds_number}) should not exceed requests_number (${grant.requests_number}).`,
    },
  ];
}
