/** Whom a partner wants to be told, and what it was told, as its view has it. */
import type { Static } from 'typebox';
import type { SupportEnvironment } from '../resources/environment.ts';
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
import type { TakeTurn } from '../resources/portal/pace.ts';

export interface OwnContacts {
  get(): Promise<Contacts>;
  put(contacts: Static<typeof NewContacts>): Promise<Contacts>;
  confirmAgain(contact: Static<typeof ContactToConfirm>): Promise<Contacts>;
  notices(request: PageRequest): Promise<Page<Static<typeof OwnNotice>>>;
}

export function ownContacts(
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
