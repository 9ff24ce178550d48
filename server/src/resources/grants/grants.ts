import { letsMoreThrough } from '@bellhop/rules/raise';
import type { Static } from 'typebox';
import { defaultGrant, OVERVIEW } from '../../base/catalogue.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Grant, GrantSet } from '../../base/grants.ts';
import type { PartnerRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findKey, keyToChange } from '../keys/key.ts';
import { keys } from '../keys/queries.ts';
import { findPartner } from '../partners/partner.ts';
import { Problem } from '../problem.ts';
import { checkUnchangedSince, type Undoing, undoneIn } from '../reverting.ts';
import { type GrantInput, type GrantWithWarnings, readEndpoint } from './grant.ts';
import { keepGrantSet, keepWithdrawnGrant, readGrantSet, readWithdrawnGrant } from './queries.ts';

export async function listGrants(
  { store }: SupportEnvironment,
  keyId: string,
): Promise<readonly Grant[]> {
  const key = await findKey(store.db, keyId);
  return (await readGrantSet(store.db, key.grant_set)).grants;
}

/** Undefined if the key does not have the endpoint. */
export async function grantOf(
  environment: SupportEnvironment,
  keyId: string,
  endpointText: string,
): Promise<Grant | undefined> {
  const endpoint = readEndpoint(endpointText, 'endpoint');
  return (await listGrants(environment, keyId)).find((grant) => grant.endpoint === endpoint);
}

/** The key must be locked. */
export async function replaceGrants(
  { db, invalidate }: Change,
  keyId: string,
  grants: GrantSet,
): Promise<void> {
  await keys.patch(db, keyId, { grant_set: await keepGrantSet(db, grants) });
  await invalidate([keyId]);
}

/** Grants an endpoint, or changes the grant. Fields that are not given stay as they are. */
export async function putGrant(
  { name, store }: SupportEnvironment,
  actor: string,
  keyId: string,
  input: Static<typeof GrantInput>,
  undoing?: Undoing,
): Promise<Static<typeof GrantWithWarnings>> {
  const endpoint = readEndpoint(input.endpoint, '/endpoint');
  if (endpoint === OVERVIEW && input.is_active === false) {
    throw new Problem('overview_always_active');
  }
  return store.change(actor, (change) =>
    changeGrant(change, name, keyId, { ...input, endpoint }, undoing),
  );
}

/** The same as a part of another change. */
export async function changeGrant(
  change: Change,
  environment: EnvironmentName,
  keyId: string,
  input: Static<typeof GrantInput>,
  undoing?: Undoing,
): Promise<Static<typeof GrantWithWarnings>> {
  const { approval_reference, expected_sales_volume, endpoint, ...fields } = input;
  const key = await keyToChange(change.db, keyId);
  const grants = await readGrantSet(change.db, key.grant_set);
  const before = grants.of(endpoint);
  checkUnchangedSince(undoing, before ?? null);
  const last = before ?? (await readWithdrawnGrant(change.db, keyId, endpoint));
  const after = changedGrant(endpoint, before, last, fields);
  if (environment === 'production' && isRaise(last, after)) {
    checkRaise(await findPartner(change.db, key.partner_id), approval_reference);
  }
  await replaceGrants(change, keyId, grants.with(after));
  await change.audit('key.grant', keyId, before ?? null, {
    ...after,
    ...(approval_reference !== undefined && { approval_reference }),
    ...(expected_sales_volume !== undefined && { expected_sales_volume }),
    ...undoneIn(undoing),
  });
  return { ...after, warnings: warningsAbout(after) };
}

/** The grant after a change. `last` is what the key has or last had of the endpoint. */
export function changedGrant(
  endpoint: string,
  before: Grant | undefined,
  last: Grant | undefined,
  fields: Partial<Grant>,
): Grant {
  return { ...(before ?? newGrant(endpoint, last)), ...fields, endpoint };
}

/**
 * A grant counts as a raise if it lets more through than the key's last grant, so withdrawing a grant and granting it
 * again does not avoid the approval. If the key never had the endpoint, the catalogue's limit counts as its last grant.
 */
export function isRaise(last: Grant | undefined, after: Grant): boolean {
  return letsMoreThrough(last ?? defaultGrant(after.endpoint), after);
}

/** The catalogue's grant, with the limit of the key's last grant if that lets less through. */
function newGrant(endpoint: string, last: Grant | undefined): Grant {
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

export async function deleteGrant(
  { store }: SupportEnvironment,
  actor: string,
  keyId: string,
  endpointText: string,
  undoing?: Undoing,
): Promise<void> {
  const endpoint = readEndpoint(endpointText, 'endpoint');
  if (endpoint === OVERVIEW) throw new Problem('overview_required');
  await store.change(actor, async (change) => {
    const key = await keyToChange(change.db, keyId);
    const grants = await readGrantSet(change.db, key.grant_set);
    const before = grants.of(endpoint);
    if (!before) throw new Problem('endpoint_not_granted');
    checkUnchangedSince(undoing, before);
    await replaceGrants(change, keyId, grants.without(endpoint));
    await keepWithdrawnGrant(change.db, keyId, before);
    await change.audit('key.withdraw', keyId, before, undoing ? undoneIn(undoing) : null);
  });
}
