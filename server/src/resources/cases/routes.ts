import { route } from '../route.ts';
import { Case, getCase } from './case.ts';

export const caseRoutes = [
  route(
    'getCase',
    'GET cases/:id',
    'Show everything that happened to an order, or around a refused call, in order of time',
    {
      may: 'read',
      reply: Case,
      problems: ['case_not_found'],
      more: 'The id is that of an order (`partner_order_id`), an event, a delivery, as support or as the partner sees it, or the `X-Request-Id` of a call that was refused or failed; in any case of letters. All deliveries of an order are one case.',
    },
    ({ params, ...support }) => getCase(support, params.id),
  ),
];
