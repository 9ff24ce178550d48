/**
 * Makes a local receiver known to the sandbox: a partner, its key and its midoffice, all named after
 * the receiver's port, so that two listeners at once don't get in each other's way and the next run
 * finds them again. API keys are shown only once, so a key that is found is rotated to learn it.
 */
import { settings } from '../config/settings.ts';
import { type BackOffice, Refused } from './back-office.ts';
import { settingHere } from './local-server.ts';
import { CommandFailed } from './usage.ts';

const SUPPORT = '/support/v1/sandbox';
const NAME = 'bellhop listen, port ';
const LARGEST_PAGE = 200;

export interface SandboxReceiver {
  partnerId: string;
  midofficeId: string;
  keyId: string;
  apiKey: string;
}

interface Partner {
  id: string;
  name: string;
  midoffice_id: string | null;
}

interface Key {
  key_id: string;
  disabled: boolean;
  expires_at: string | null;
  revoked_at: string | null;
}

export async function registerReceiver(
  backOffice: BackOffice,
  url: string,
  port: number,
): Promise<SandboxReceiver> {
  await requireCallable(backOffice, url);
  const name = NAME + port;
  const known = (await partnersNamed(backOffice, name)).find((partner) => partner.name === name);
  const partner = known ?? (await createPartner(backOffice, name));
  const key = await keyOf(backOffice, partner.id);
  const wanted = { name, url, signing_key_id: key.key_id };
  let midofficeId = partner.midoffice_id;
  if (midofficeId === null) {
    const path = `${SUPPORT}/midoffices`;
    midofficeId = (await backOffice.call<{ id: string }>('POST', path, wanted)).id;
    const partnerPath = `${SUPPORT}/partners/${partner.id}`;
    await backOffice.call('PATCH', partnerPath, { midoffice_id: midofficeId });
  } else {
    const path = `${SUPPORT}/midoffices/${midofficeId}`;
    await backOffice.call('PATCH', path, { ...wanted, paused: false });
  }
  return { partnerId: partner.id, midofficeId, keyId: key.key_id, apiKey: key.api_key };
}

/** The partner of the listener that was made last, if there is one. */
export async function latestListener(backOffice: BackOffice): Promise<string | undefined> {
  const partners = await partnersNamed(backOffice, NAME);
  return partners.find(({ name, midoffice_id }) => name.startsWith(NAME) && midoffice_id)?.id;
}

/** Asked first, so that nothing is left behind where it may not be called. */
async function requireCallable(backOffice: BackOffice, url: string): Promise<void> {
  const check = await backOffice.call<{ ok: boolean; detail?: string }>(
    'POST',
    `${SUPPORT}/receiver-check`,
    { url },
  );
  if (check.ok) return;
  const { hostname } = new URL(url);
  throw new CommandFailed(
    `The sandbox may not call ${url}: a receiver on this machine has to be permitted when the server starts. Stop it and start it so:\n  BELLHOP_SANDBOX_RECEIVER_ALLOW=${hostname}/32 npm start`,
  );
}

async function partnersNamed(backOffice: BackOffice, name: string): Promise<Partner[]> {
  const query = new URLSearchParams({ name, limit: String(LARGEST_PAGE) });
  const path = `${SUPPORT}/partners?${query}`;
  return (await backOffice.call<{ items: Partner[] }>('GET', path)).items;
}

async function createPartner(backOffice: BackOffice, name: string): Promise<Partner> {
  try {
    return await backOffice.call<Partner>('POST', `${SUPPORT}/partners`, {
      name,
      integration_started_on: settingHere(settings.sandboxOffer).from,
      is_new: true,
    });
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'sandbox_not_offered') throw error;
    throw new CommandFailed(
      `${error.message} The server has another BELLHOP_SANDBOX_OFFER than this shell; set the same here.`,
    );
  }
}

async function keyOf(
  backOffice: BackOffice,
  partnerId: string,
): Promise<{ key_id: string; api_key: string }> {
  const query = new URLSearchParams({ partner_id: partnerId, limit: String(LARGEST_PAGE) });
  const { items } = await backOffice.call<{ items: Key[] }>('GET', `${SUPPORT}/keys?${query}`);
  const usable = items.find((key) => !key.revoked_at && !key.disabled && !key.expires_at);
  return usable
    ? backOffice.call('POST', `${SUPPORT}/keys/${usable.key_id}/rotation`, { overlap_seconds: 0 })
    : backOffice.call('POST', `${SUPPORT}/partners/${partnerId}/keys`, { label: 'bellhop listen' });
}
