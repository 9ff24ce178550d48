/** A session that ends while the new URL of a receiver is tested: the receiver decides how long that takes. */
import { beforeAll, expect, test } from 'vitest';
import { describeOnEachStore, Rig, type TestMidoffice } from '../../testing/delivery-rig.ts';
import { hang, status } from '../../testing/webhook-receiver.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { revokeKey } from '../resources/keys/change-key.ts';
import { findMidoffice } from '../resources/midoffices/midoffice.ts';
import { updatePartner } from '../resources/partners/change-partner.ts';
import {
  endSession,
  endSessions,
  openSessionOfKey,
  PORTAL_SESSION_MS,
} from '../resources/portal/sessions.ts';
import { viewOf } from './view.ts';

const OLD = 'http://127.0.0.1:9/old';
const ADDRESS = '192.0.2.7';
const ANN = 'Ann (tok_1)';

type End = (
  environment: SupportEnvironment,
  session: TestMidoffice & { sessionId: string; advance(ms: number): void },
) => Promise<void> | void;

const ENDS: Record<string, End> = {
  'support suspends the partner': async (environment, { partnerId }) => {
    await updatePartner(environment, ANN, partnerId, { suspended: true });
  },
  'support ends all sessions': (environment, { partnerId }) =>
    endSessions(environment, ANN, partnerId),
  'the person signs out': (environment, { partnerId, sessionId }) =>
    endSession(environment, ANN, partnerId, sessionId),
  'its key is revoked': (environment, { keyId }) => revokeKey(environment, ANN, keyId),
  'it is too old': (_environment, { advance }) => advance(PORTAL_SESSION_MS),
};

describeOnEachStore('a new URL is not taken over if, while it is tested,', (newDatabase) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    return () => rig.close();
  });

  async function startTest() {
    const { environment } = rig;
    const midoffice = await rig.midoffice(OLD);
    const how = { scopes: ['receiver'] as const, address: ADDRESS };
    const { session } = await openSessionOfKey(environment, midoffice, how);
    const receiver = await rig.receiver(hang);
    const { change } = viewOf(environment, session, ADDRESS).midoffice;
    const changed = change({ url: receiver.url });
    await receiver.came(1);
    const urlNow = async () => (await findMidoffice(environment.store.db, midoffice.id)).url;
    return { ...midoffice, session, receiver, changed, urlNow };
  }

  test.each(Object.entries(ENDS))('%s', async (_how, end) => {
    const { session, receiver, changed, urlNow, ...midoffice } = await startTest();
    const advance = (ms: number) => rig.clock.advance(ms);
    await end(rig.environment, { ...midoffice, sessionId: session.id, advance });
    receiver.answerAll(status(200));
    await expect(changed).rejects.toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(await urlNow()).toBe(OLD);
  });

  test('and it is if the session goes on', async () => {
    const { receiver, changed, urlNow } = await startTest();
    receiver.answerAll(status(200));
    expect(await changed).toMatchObject({ url: receiver.url });
    expect(await urlNow()).toBe(receiver.url);
  });
});
