/** A partner and a key to try things with, in the sandbox only. */

import type { EnvironmentData } from './environment.ts';
import { createKey } from './keys/create-key.ts';
import { createPartner } from './partners/create-partner.ts';

const NAME = 'Demo partner';
const ACTOR = 'demo';

/** Undefined if the sandbox has partners already (or the demo one, if the demo was asked for). */
export async function createDemo(
  sandbox: EnvironmentData,
  setting: 'on' | undefined,
): Promise<{ keyId: string; apiKey: string } | undefined> {
  let partners = sandbox.store.db.selectFrom('partner').select('id').limit(1);
  if (setting === 'on') partners = partners.where('name', '=', NAME);
  if (await partners.executeTakeFirst()) return undefined;
  const partner = await createPartner(sandbox, ACTOR, {
    name: NAME,
    integration_started_on: sandbox.sandboxOffer.from,
    is_new: true,
  });
  const key = await createKey(sandbox, ACTOR, partner.id, { label: 'demo' });
  return { keyId: key.key_id, apiKey: key.api_key };
}
