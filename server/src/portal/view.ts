/**
 * A partner's view: everything that the portal can show or do, of this one partner. Actions of the portal get this value
 * instead of a store, so that none of them can reach anything else. What belongs to another partner is answered exactly
 * as what does not exist.
 */
import type { Static } from 'typebox';
import { type Case, getOwnCase } from '../resources/cases/case.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import {
  askForLimit,
  listOwnLimitRequests,
  type NewLimitRequest,
  type OwnLimitRequest,
  toOwn,
} from '../resources/limit-requests/limit-request.ts';
import {
  type Contacts,
  type ContactToConfirm,
  confirmAgain,
  listContacts,
  type NewContacts,
  putContacts,
} from '../resources/notices/contacts.ts';
import { listOwnNotices, type OwnNotice } from '../resources/notices/notices.ts';
import type { Page, PageRequest } from '../resources/page.ts';
import { listPartnerActivity, type PartnerActivity } from '../resources/portal/activity.ts';
import { type TakeTurn, takeTurnFirst } from '../resources/portal/pace.ts';
import type { OpenSession } from '../resources/portal/queries.ts';
import { checkStillOpen } from '../resources/portal/sessions.ts';
import type { Store } from '../store/store.ts';
import { type Home, showHome } from './home.ts';
import { type Me, showMe } from './me.ts';
import { type OwnDeliveries, ownDeliveries } from './own-deliveries.ts';
import { type OwnKeys, ownKeys } from './own-keys.ts';
import { type OwnMidofficeView, ownMidoffice } from './own-midoffice.ts';
import { type OwnRefusals, ownRefusals } from './own-refusals.ts';

export interface PartnerView {
  me(): Static<typeof Me>;
  home(): Promise<Static<typeof Home>>;
  keys: OwnKeys;
  midoffice: OwnMidofficeView;
  deliveries: OwnDeliveries;
  refusals: OwnRefusals;
  limitRequests: OwnLimitRequests;
  cases(id: string): Promise<Case>;
  contacts: OwnContacts;
  activity(request: PageRequest): Promise<Page<Static<typeof PartnerActivity>>>;
}

interface OwnLimitRequests {
  list(request: PageRequest): Promise<Page<Static<typeof OwnLimitRequest>>>;
  ask(asked: Static<typeof NewLimitRequest>): Promise<Static<typeof OwnLimitRequest>>;
}

/** `address` is where the request comes from. */
export function viewOf(
  environment: SupportEnvironment,
  session: OpenSession,
  address: string,
): PartnerView {
  const { partner_id: partnerId, opened_by: actor } = session;
  const own = throughSession(environment, session.id);
  const takeWrite = () => takeTurnFirst(own, partnerId, 'write', session.id);
  const keys = ownKeys(own, { partnerId, actor, address, takeWrite });
  const midoffice = ownMidoffice(own, {
    partnerId,
    actor,
    takeWrite,
    checkStillOpen: (change) => checkStillOpen(own, change, session, address),
  });
  const deliveries = ownDeliveries(own, { partnerId, actor });
  const refusals = ownRefusals(own, { partnerId, ownKey: keys.own });
  return {
    me: () => showMe(environment, session),
    home: () => showHome({ keys, midoffice, deliveries, refusals }, environment.clock.now()),
    keys,
    midoffice,
    deliveries,
    refusals,
    limitRequests: {
      list: (request) => listOwnLimitRequests(own, partnerId, request),
      async ask(asked) {
        await takeWrite();
        return toOwn(await askForLimit(own, actor, partnerId, asked));
      },
    },
    cases: (id) => getOwnCase(own, partnerId, id),
    contacts: ownContacts(own, { partnerId, actor, takeWrite }),
    activity: (request) => listPartnerActivity(own, partnerId, request),
  };
}

/** Whom a partner wants to be told, and what it was told. */
interface OwnContacts {
  get(): Promise<Contacts>;
  put(contacts: Static<typeof NewContacts>): Promise<Contacts>;
  confirmAgain(contact: Static<typeof ContactToConfirm>): Promise<Contacts>;
  notices(request: PageRequest): Promise<Page<Static<typeof OwnNotice>>>;
}

function ownContacts(
  environment: SupportEnvironment,
  { partnerId, actor, takeWrite }: { partnerId: string; actor: string; takeWrite: TakeTurn },
): OwnContacts {
  return {
    get: () => listContacts(environment, partnerId),
    async put(contacts) {
      await takeWrite();
      return putContacts(environment, actor, partnerId, contacts);
    },
    async confirmAgain(contact) {
      await takeWrite();
      return confirmAgain(environment, actor, partnerId, contact);
    },
    notices: (request) => listOwnNotices(environment, partnerId, request),
  };
}

/** The same environment; each audit row says through which session of the portal the change was made. */
function throughSession(environment: SupportEnvironment, sessionId: string): SupportEnvironment {
  const { store } = environment;
  const through = { portal_session: sessionId };
  const change: Store['change'] = (actor, work) =>
    store.change(actor, (one) =>
      work({
        ...one,
        audit: (action, subject, before, after) =>
          one.audit(action, subject, before, { ...after, ...through }),
        auditMore: (id, after) => one.auditMore(id, { ...after, ...through }),
      }),
    );
  return { ...environment, store: { ...store, change } };
}
