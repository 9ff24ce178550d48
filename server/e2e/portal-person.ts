/** Somebody at a partner, before a portal on each engine. */
import { describe } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { type PortalBrowser, signedInBrowser } from '../testing/portal-browser.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { type SharedBellhop, sharedBellhop } from './one-bellhop-per-file.ts';

export const NOBODY = 'http://127.0.0.1:9/hook';
export const SUPPORT = '/support/v1/production';

export interface Person extends PortalBrowser {
  partnerId: string;
  keyId: string;
  midofficeId: string;
  /** Accepts an event of an order; its delivery id, as support has it. */
  order(id: string): Promise<string>;
  /** The id that the portal has for the delivery of an order. */
  idOf(orderId: string): Promise<string>;
}

/** Somebody at a new partner, signed in with all scopes. `sharing`: the midoffice of another. */
export async function newPerson(
  bellhop: Pick<SharedBellhop, 'addresses' | 'support' | 'newKey'>,
  { url = NOBODY, sharing }: { url?: string; sharing?: string } = {},
): Promise<Person> {
  const { keyId, partnerId } = await bellhop.newKey('production');
  const midoffice = { name: 'Test midoffice', url, signing_key_id: keyId };
  const midofficeId =
    sharing ?? (await bellhop.support('POST', `${SUPPORT}/midoffices`, midoffice)).body.id;
  const assigned = { midoffice_id: midofficeId };
  await bellhop.support('PATCH', `${SUPPORT}/partners/${partnerId}`, assigned);
  const browser = await signedInBrowser(bellhop, 'production', partnerId);
  return {
    ...browser,
    partnerId,
    keyId,
    midofficeId,
    async order(id) {
      const event = { event_id: `${partnerId} ${id}`, type: 'created', partner_order_id: id };
      const sent = { ...event, partner_id: partnerId };
      const { body } = await bellhop.support('POST', '/orders/v1/production/events', sent);
      return body.results[0].delivery_id;
    },
    async idOf(orderId) {
      const query = `partner_order_id=${encodeURIComponent(orderId)}`;
      return (await browser.get(`deliveries?${query}`)).body.items[0].id;
    },
  };
}

type Settings = Record<string, string>;

/** With one portal for all tests. */
export function describePortal(tests: (bellhop: SharedBellhop) => void): void {
  describePortalSettings((settings) => tests(sharedBellhop(settings)));
}

export function describePortalSettings(tests: (settings: () => Promise<Settings>) => void): void {
  const portal = {
    ...LOOPBACK_RECEIVERS,
    BELLHOP_ENVIRONMENTS: 'production',
    BELLHOP_ROLES: 'back-office,portal',
  };
  describe('the portal, embedded', () => tests(async () => portal));
  describeWithPostgres('the portal, on PostgreSQL', (_empty, databaseWithTables) =>
    tests(async () => ({
      ...portal,
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      BELLHOP_MASTER_KEY: newMasterKey(),
    })),
  );
}
