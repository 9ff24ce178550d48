/** A partner and a key to try things with, in the sandbox only. */

import { createKey } from './support/create-key.ts';
import { createPartner } from './support/create-partner.ts';
import type { Desk } from './support/desk.ts';

const NAME = 'Demo partner';
const ACTOR = 'demo';

/** Undefined where the sandbox has partners already (or, when asked for by name, the demo one). */
export async function createDemo(
  desk: Desk,
  setting: 'on' | undefined,
): Promise<{ keyId: string; apiKey: string } | undefined> {
  let partners = desk.store.db.selectFrom('partner').select('id').limit(1);
  if (setting === 'on') partners = partners.where('name', '=', NAME);
  if (await partners.executeTakeFirst()) return undefined;
  const partner = await createPartner(desk, ACTOR, {
    name: NAME,
    integration_started_on: desk.sandboxOffer.from,
    is_new: true,
  });
  const key = await createKey(desk, ACTOR, partner.id, { label: 'demo' });
  return { keyId: key.key_id, apiKey: key.api_key };
}
