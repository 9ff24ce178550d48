/**
 * Registers a local receiver in the sandbox: a partner, its key and its midoffice, all named after
 * the receiver's port. So two listeners do not disturb each other, and the next run finds what the
 * previous one created. API keys are shown only once, so the listener keeps its own (listener-key.ts); if
 * it has lost it, the key is rotated to get a known one.
 */
import type { Partner } from '@bellhop/support-client';
import { settings } from '../base/config/settings.ts';
import { type BackOffice, Refused } from './back-office.ts';
import { CommandFailed } from './failures.ts';
import { isStillValid, keepKey, type ListenerKey, readKey } from './listener-key.ts';
import { settingHere } from './local-server.ts';

const environment = 'sandbox';
const NAME = 'bellhop listen, port ';
const LARGEST_PAGE = 200;

export interface SandboxReceiver {
  partnerId: string;
  midofficeId: string;
  keyId: string;
  apiKey: string;
  /** Where the key is kept for the next start; undefined if it could not be. */
  keyFile: string | undefined;
}

export async function registerReceiver(
  backOffice: BackOffice,
  url: string,
  port: number,
  { newKey }: { newKey: boolean },
): Promise<SandboxReceiver> {
  await requireCallable(backOffice, url);
  const name = NAME + port;
  const known = (await partnersNamed(backOffice, name)).find((partner) => partner.name === name);
  const partner = known ?? (await createPartner(backOffice, name));
  const key = await keyOf(backOffice, partner.id, port, newKey);
  const wanted = { name, url, signing_key_id: key.keyId };
  let midofficeId = partner.midoffice_id;
  if (midofficeId === null) {
    midofficeId = (await backOffice.call('createMidoffice', { environment, body: wanted })).id;
    const body = { midoffice_id: midofficeId };
    await backOffice.call('updatePartner', { environment, id: partner.id, body });
  } else {
    const body = { ...wanted, paused: false };
    await backOffice.call('updateMidoffice', { environment, id: midofficeId, body });
  }
  return { partnerId: partner.id, midofficeId, ...key, keyFile: keepKey(port, key) };
}

/** The partner of the listener that was registered last, if there is one. */
export async function latestListener(backOffice: BackOffice): Promise<string | undefined> {
  const partners = await partnersNamed(backOffice, NAME);
  return partners.find(({ name, midoffice_id }) => name.startsWith(NAME) && midoffice_id)?.id;
}

/** Checked first, so that nothing is left behind if the sandbox may not call the receiver. */
async function requireCallable(backOffice: BackOffice, url: string): Promise<void> {
  const check = await backOffice.call('checkReceiver', { environment, body: { url } });
  if (check.ok) return;
  const { hostname } = new URL(url);
  throw new CommandFailed(
    `The sandbox may not call ${url}. Receivers on this machine are allowed by default only in an embedded sandbox that listens on a loopback address. Restart the server like this:\n  BELLHOP_SANDBOX_RECEIVER_ALLOW=${hostname}/32 npx bellhop`,
  );
}

async function partnersNamed(backOffice: BackOffice, name: string): Promise<Partner[]> {
  const query = { name, limit: LARGEST_PAGE };
  return (await backOffice.call('listPartners', { environment, query })).items;
}

async function createPartner(backOffice: BackOffice, name: string): Promise<Partner> {
  try {
    const integration_started_on = settingHere(settings.sandboxOffer).from;
    const body = { name, integration_started_on, is_new: true };
    return await backOffice.call('createPartner', { environment, body });
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'sandbox_not_offered') throw error;
    throw new CommandFailed(
      `${error.message} The server uses another BELLHOP_SANDBOX_OFFER than this shell. Set the same value here.`,
    );
  }
}

async function keyOf(
  backOffice: BackOffice,
  partnerId: string,
  port: number,
  newKey: boolean,
): Promise<ListenerKey> {
  const query = { partner_id: partnerId, limit: LARGEST_PAGE };
  const { items } = await backOffice.call('listKeys', { environment, query });
  const usable = items.find((key) => !key.revoked_at && !key.disabled && !key.expires_at);
  const kept = usable && !newKey ? readKey(port, usable.key_id) : undefined;
  if (kept && (await isStillValid(kept))) return kept;
  const { key_id, api_key } = usable
    ? await backOffice.call('rotateKey', {
        environment,
        key_id: usable.key_id,
        body: { overlap_seconds: 0 },
      })
    : await backOffice.call('createKey', {
        environment,
        id: partnerId,
        body: { label: 'bellhop listen' },
      });
  return { keyId: key_id, apiKey: api_key };
}
