import { pageOfSchema } from '../forms.ts';
import { findPartner } from '../partners/partner.ts';
import { route } from '../route.ts';
import { Contacts, listContacts } from './contacts.ts';
import { listNotices, Notice, noticesQuery } from './notices.ts';

export const noticeRoutes = [
  route(
    'listNotices',
    'GET notices',
    'List what partners were told, newest first, and whether it was mailed',
    {
      may: 'read',
      query: noticesQuery,
      reply: pageOfSchema(Notice),
      more: 'Notices are kept for 90 days.',
    },
    ({ environment, query }) => listNotices(environment, query),
  ),
  route(
    'getContacts',
    'GET partners/:id/contacts',
    'Show whom a partner wants to be told',
    { may: 'read', reply: Contacts, problems: ['partner_not_found'] },
    async ({ environment, params }) => {
      await findPartner(environment.store.db, params.id);
      return listContacts(environment, params.id);
    },
  ),
];
