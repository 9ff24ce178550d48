/** The people who have signed in through OpenID Connect. */
import { pageOfSchema, pageQuery, query } from '../forms.ts';
import { route } from '../route.ts';
import { endSessionsOf, listPeople, Person } from './people.ts';

export const peopleRoutes = [
  route(
    'listPeople',
    'GET /people',
    'List the people who have signed in through OpenID Connect, newest first',
    { may: 'administer', query: query(pageQuery), reply: pageOfSchema(Person) },
    ({ backOfficeStore, query }) => listPeople(backOfficeStore, query),
  ),
  route(
    'endSessionsOfPerson',
    'DELETE /people/:id/sessions',
    'End all sessions of a person; they can sign in again while the provider lets them',
    {
      may: 'administer',
      problems: ['person_not_found'],
      more: 'Also ends what they opened of the portal to see it as a partner.',
    },
    ({ environments, backOfficeStore, actor, params }) =>
      endSessionsOf(environments, backOfficeStore, actor, params.id),
  ),
];
