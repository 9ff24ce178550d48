import { OVERVIEW } from '../../catalogue.ts';
import type { SupportEnvironment } from '../environment.ts';
import { keyToChange } from '../keys/key.ts';
import { Problem } from '../problem.ts';
import { readEndpoint } from './grant.ts';
import { replaceGrants } from './grants.ts';
import { keepWithdrawnGrant, readGrantSet } from './queries.ts';

export async function deleteGrant(
  { store }: SupportEnvironment,
  actor: string,
  keyId: string,
  endpointText: string,
): Promise<void> {
  const endpoint = readEndpoint(endpointText, 'endpoint');
  if (endpoint === OVERVIEW) throw new Problem('overview_required');
  await store.change(actor, async (change) => {
    const key = await keyToChange(change.db, keyId);
    const grants = await readGrantSet(change.db, key.grant_set);
    const before = grants.of(endpoint);
    if (!before) throw new Problem('endpoint_not_granted');
    await replaceGrants(change, keyId, grants.without(endpoint));
    await keepWithdrawnGrant(change.db, keyId, before);
    await change.audit('key.withdraw', keyId, before, null);
  });
}
