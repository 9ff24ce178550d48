/**
 * Where a partner's webhooks go, as its view has it. A midoffice that others share, or that signs with a key of another
 * partner, can be seen. But nobody changes it here or has anything sent to it, and nobody sees how many webhooks of others wait.
 */
import type { Static } from 'typebox';
import { attemptOutcomes } from '../delivery/attempt.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { like, story } from '../resources/examples.ts';
import { filter, input, orNull, query, reply, Type, time, words } from '../resources/forms.ts';
import { ownKeysAmong } from '../resources/keys/queries.ts';
import {
  certifyReceiver,
  type ReceiverCertification,
  type ReceiverToCertify,
} from '../resources/midoffices/certify-receiver.ts';
import { judge } from '../resources/midoffices/health.ts';
import {
  findMidoffice,
  Midoffice,
  midoffice,
  showMidoffice,
} from '../resources/midoffices/midoffice.ts';
import {
  type CheckInChange,
  changeReceiver,
  PendingUrl,
  showPendingUrl,
} from '../resources/midoffices/pending-url.ts';
import {
  type Recovered,
  Recovery,
  recoverPartner,
} from '../resources/midoffices/recover-midoffice.ts';
import {
  type NewRehearsal,
  type RehearsalReport,
  rehearse,
} from '../resources/midoffices/rehearse.ts';
import {
  type SentPending,
  sendPendingOfPartner,
  sendPendingQuery,
} from '../resources/midoffices/send-pending.ts';
import { showQueue } from '../resources/midoffices/show-midoffices.ts';
import { checkOwn, ownershipOf } from '../resources/midoffices/signing-key.ts';
import { lastTest, sendTestEvent } from '../resources/midoffices/test-event.ts';
import { findPartner } from '../resources/partners/partner.ts';
import { partners } from '../resources/partners/queries.ts';
import { EXAMPLE_OWN_ID, fromOwnId, toOwnId } from '../resources/portal/delivery-ids.ts';
import { type TakeTurn, takeTurnFirst } from '../resources/portal/pace.ts';
import { Problem } from '../resources/problem.ts';
import { optionalOf } from '../resources/record.ts';
import { type OwnAttempt, withoutForeignKeys } from './own-attempts.ts';

const { name, url, body_form, delivery_order, paused, failing_since, health } =
  Midoffice.properties;

export const OwnMidoffice = reply('OwnMidoffice', {
  name,
  url,
  signing_key_id: orNull(
    like(story.keyId, 'The key whose API key signs; null if it is not one of yours.'),
  ),
  body_form,
  delivery_order,
  paused,
  failing_since,
  health,
  is_shared: Type.Boolean({ description: 'Whether other partners work with it too.' }),
  is_own: Type.Boolean({
    description:
      'Whether you alone work with it, and it signs with a key of yours. If not, only API support can change it and send to it (409 `midoffice_not_own`).',
  }),
  pending: orNull(Type.Integer({ description: 'Webhooks under way; null if it is shared.' })),
  waiting: orNull(
    Type.Integer({
      description:
        'How many of them wait for the time of their next attempt; null if it is shared.',
    }),
  ),
  last_test: orNull(
    reply('OwnLastTest', {
      at: time,
      outcome: words(attemptOutcomes, { title: 'AttemptOutcome' }),
      status_code: like(200, orNull(Type.Integer())),
      error: like(null, orNull(Type.String())),
    }),
  ),
  url_change: orNull(PendingUrl),
});

export const ReceiverChanges = input(
  'ReceiverChanges',
  optionalOf(midoffice, ['url', 'body_form', 'delivery_order']),
  { minProperties: 1 },
);

export const OwnRecovery = input('OwnRecovery', {
  ...Recovery.properties,
  expected: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'How many a dry run has counted. If there are more or fewer now, nothing is requeued (409 `count_changed`). Give `until` as well, so that events which arrive meanwhile do not count.',
    }),
  ),
});

/** Ids of the portal have another form. */
export const ownSendPendingQuery = query({
  ...sendPendingQuery.properties,
  after: like(EXAMPLE_OWN_ID, filter('Send only those that were accepted after this webhook.')),
});

export interface OwnMidofficeView {
  /** Null if the partner has none. */
  find(): Promise<Static<typeof OwnMidoffice> | null>;
  /** Throws if the partner has none. */
  get(): Promise<Static<typeof OwnMidoffice>>;
  change(changes: Static<typeof ReceiverChanges>): Promise<Static<typeof OwnMidoffice>>;
  sendTestEvent(): Promise<OwnAttempt>;
  check(input: Static<typeof ReceiverToCertify>): Promise<Static<typeof ReceiverCertification>>;
  rehearse(input: NewRehearsal): Promise<RehearsalReport>;
  recover(input: Static<typeof OwnRecovery>): Promise<Static<typeof Recovered>>;
  sendPending(limited: Static<typeof sendPendingQuery>): Promise<Static<typeof SentPending>>;
}

interface OwnSession {
  partnerId: string;
  actor: string;
  takeWrite: TakeTurn;
  /** Throws if the session has ended; call it once the partner is locked. */
  checkStillOpen: CheckInChange;
}

export function ownMidoffice(
  environment: SupportEnvironment,
  { partnerId, actor, takeWrite, checkStillOpen }: OwnSession,
): OwnMidofficeView {
  const { vault } = environment;
  const { db } = environment.store;

  async function ownIfAny(): Promise<string | null> {
    return (await findPartner(db, partnerId)).midoffice_id;
  }

  async function own(): Promise<string> {
    const id = await ownIfAny();
    if (id === null) throw new Problem('midoffice_not_found', 'You have no midoffice yet.');
    return id;
  }

  /** Throws if nothing may be changed or sent here. */
  async function ownToSend(): Promise<string> {
    const id = await own();
    await checkOwn(db, partnerId, id);
    return id;
  }

  async function show(id: string): Promise<Static<typeof OwnMidoffice>> {
    const found = showMidoffice(await findMidoffice(db, id));
    const health = await judge(db, [found]);
    const { isShared: is_shared, isOwn: is_own } = await ownershipOf(db, partnerId, id);
    const queue = is_shared ? { pending: null, waiting: null } : await showQueue(environment, id);
    const test = await lastTest(db, id);
    const own = await ownKeysAmong(db, partnerId, [found.signing_key_id]);
    return {
      ...found,
      signing_key_id: own.has(found.signing_key_id) ? found.signing_key_id : null,
      health: health(found),
      is_shared,
      is_own,
      pending: queue.pending,
      waiting: queue.waiting,
      last_test: test && {
        at: test.at,
        outcome: test.attempt.outcome,
        status_code: test.attempt.status_code,
        error: test.attempt.error,
      },
      url_change: await showPendingUrl(db, id),
    };
  }

  const withOwnIds = <Sent extends Pick<Static<typeof SentPending>, 'deliveries'>>(
    sent: Sent,
  ): Sent => {
    const { deliveries } = sent;
    if (!deliveries) return sent;
    return {
      ...sent,
      deliveries: deliveries.map((one) => ({ ...one, id: toOwnId(vault, one.id) })),
    };
  };

  return {
    async find() {
      const id = await ownIfAny();
      return id === null ? null : show(id);
    },
    get: async () => show(await own()),
    async change(changes) {
      const id = await ownToSend();
      if (changes.url === undefined) await takeWrite();
      else await takeTurnFirst(environment, partnerId, 'receiver');
      await changeReceiver(environment, actor, id, changes, async (change) => {
        // Locked: support cannot give the partner another midoffice meanwhile.
        const partner = await partners.findToChange(change, partnerId);
        // The test takes as long as the receiver likes.
        await checkStillOpen(change);
        if (partner.midoffice_id !== id) throw new Problem('changed_meanwhile');
        await checkOwn(change, partnerId, id);
      });
      return show(await own());
    },
    async sendTestEvent() {
      const id = await ownToSend();
      await takeTurnFirst(environment, partnerId, 'receiver');
      const attempt = await sendTestEvent(environment, actor, id);
      const [shown] = await withoutForeignKeys(environment, partnerId, [attempt]);
      return shown as OwnAttempt;
    },
    async check(given) {
      const id = await ownToSend();
      await takeTurnFirst(environment, partnerId, 'receiver');
      return certifyReceiver(environment, actor, id, given);
    },
    async rehearse({ delivery_ids, ...given }) {
      const id = await ownToSend();
      await takeTurnFirst(environment, partnerId, 'receiver');
      const ids = delivery_ids?.map((ownId) => fromOwnId(vault, ownId) ?? '');
      const wanted = { ...given, ...(ids && { delivery_ids: ids }) };
      const report = await rehearse(environment, actor, id, wanted, partnerId);
      const lines = report.lines.map((line) => ({ ...line, name: toOwnId(vault, line.name) }));
      return { ...report, lines };
    },
    async recover(given) {
      const midofficeId = await ownToSend();
      const recovered = await recoverPartner(
        environment,
        actor,
        { midofficeId, partnerId },
        given,
        {
          count: () => takeTurnFirst(environment, partnerId, 'count'),
          send: () => takeTurnFirst(environment, partnerId, 'redeliver'),
        },
      );
      return withOwnIds(recovered);
    },
    async sendPending(limited) {
      const midofficeId = await ownToSend();
      await takeTurnFirst(environment, partnerId, 'redeliver');
      const whose = { midofficeId, partnerId };
      const after =
        limited.after === undefined ? undefined : (fromOwnId(vault, limited.after) ?? '');
      const sent = await sendPendingOfPartner(environment, actor, whose, { ...limited, after });
      return withOwnIds(sent);
    },
  };
}
