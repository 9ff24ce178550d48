/** Creates a partner and a key to try Bellhop with, in the sandbox only. */
import type { DemoKey } from '../base/demo-key.ts';
import type { EnvironmentData } from './environment.ts';
import { createKey } from './keys/create-key.ts';
import { createPartner } from './partners/change-partner.ts';
import { hasPartner } from './partners/queries.ts';

const NAME = 'Demo partner';
const ACTOR = 'demo';

/** Does nothing if the sandbox has a partner. With the setting `on`, only a demo partner counts. */
export async function createDemo(
  sandbox: EnvironmentData,
  setting: 'on' | undefined,
): Promise<DemoKey | undefined> {
  if (await hasPartner(sandbox.store.db, setting === 'on' ? NAME : undefined)) return undefined;
  const partner = await createPartner(sandbox, ACTOR, {
    name: NAME,
    integration_started_on: sandbox.sandboxOffer.from,
    is_new: true,
  });
  const key = await createKey(sandbox, ACTOR, partner.id, { label: 'demo' });
  return { keyId: key.key_id, apiKey: key.api_key };
}
