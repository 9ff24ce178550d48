/** For tests of order events and webhooks: one production environment on each engine, no partner API. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { start } from '../src/main/main.ts';
import { ADMIN_TOKEN, helpersOf, settingsForTest, type TestBellhop } from '../testing/bellhop.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';

export const MIDOFFICES = '/support/v1/production/midoffices';
export const DELIVERIES = '/support/v1/production/deliveries';
export const EVENTS = '/orders/v1/production/events';

export const WEBHOOKS = {
  BELLHOP_ENVIRONMENTS: 'production',
  BELLHOP_ROLES: 'delivery,back-office',
  ...LOOPBACK_RECEIVERS,
};

/** For tests of order events alone. */
export const WITHOUT_DELIVERY = { BELLHOP_ROLES: 'back-office' };

type Settings = Record<string, string>;

/** One server for all tests of the group; each test has its own partners and midoffices. */
export function describeWebhooksOnEachEngine(
  name: string,
  settings: Settings,
  body: (bellhop: TestBellhop) => void,
): void {
  describe(`${name}, embedded`, () => body(sharedWebhooks(settings)));
  describeWithPostgres(`${name}, on PostgreSQL`, (_empty, databaseWithTables) =>
    body(
      shared(async () => ({
        BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
        BELLHOP_MASTER_KEY: newMasterKey(),
        ...settings,
      })),
    ),
  );
}

/** On the embedded engine. */
export function sharedWebhooks(settings: Settings): TestBellhop {
  return shared(() => Promise.resolve(settings));
}

function shared(settings: () => Promise<Settings>): TestBellhop {
  let bellhop: TestBellhop;
  beforeAll(async () => {
    const wanted = await settingsForTest({ ...WEBHOOKS, ...(await settings()) });
    const running = await start(wanted, () => {});
    bellhop = helpersOf(running);
  });
  afterAll(() => bellhop?.stop());
  return {
    get addresses() {
      return bellhop.addresses;
    },
    support: (...args) => bellhop.support(...args),
    newKey: (...args) => bellhop.newKey(...args),
    stop: () => bellhop.stop(),
  };
}

export interface Sender {
  partnerId: string;
  midofficeId: string;
  keyId: string;
  apiKey: string;
}

/** A partner with its own midoffice. */
export async function newSender(
  bellhop: TestBellhop,
  url = 'http://127.0.0.1:9/hook',
  more: object = {},
): Promise<Sender> {
  const { keyId, apiKey, partnerId } = await bellhop.newKey('production');
  const { body } = await bellhop.support('POST', MIDOFFICES, {
    name: 'Test midoffice',
    url,
    signing_key_id: keyId,
    ...more,
  });
  const path = `/support/v1/production/partners/${partnerId}`;
  await bellhop.support('PATCH', path, { midoffice_id: body.id });
  return { partnerId, midofficeId: body.id, keyId, apiKey };
}

let events = 0;

export function newEvent({ partnerId }: Pick<Sender, 'partnerId'>, more: object = {}) {
  events++;
  return {
    event_id: `event-${events}-${randomBytes(4).toString('hex')}`,
    type: 'updated',
    partner_id: partnerId,
    partner_order_id: `order ${events}`,
    ...more,
  };
}

/** Posts events exactly as written, whether or not they are valid. */
export async function postText({ addresses }: TestBellhop, text: string | Buffer<ArrayBuffer>) {
  const reply = await fetch(addresses.backOffice + EVENTS, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_TOKEN}` },
    body: text,
  });
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it expects.
  return { status: reply.status, body: (await reply.json()) as any };
}
