/** The operations of the portal, by tag. */
import { Me } from './me.ts';
import { route } from './route.ts';

const session = [
  route(
    'getMe',
    'GET me',
    'Show who is signed in: the partner, what the session may do, and until when',
    { may: 'read', reply: Me },
    ({ view }) => view.me(),
  ),
];

export const portalRoutes = { session };
