import { pageOfSchema, pageQuery, query, text } from '../forms.ts';
import { route } from '../route.ts';
import {
  createToken,
  deleteTokenEverywhere,
  listTokens,
  NewToken,
  Token,
  TokenWithSecret,
} from './tokens.ts';

const problems = ['token_not_found', 'last_admin_token'] as const;
const more =
  'Ends its sessions of the console, and what it opened of the portal to see it as a partner. Links that it made for partners stay.';

export const tokenRoutes = [
  route(
    'listTokens',
    'GET /tokens',
    'List tokens, newest first',
    { may: 'administer', query: query(pageQuery), reply: pageOfSchema(Token) },
    ({ backOfficeStore, query }) => listTokens(backOfficeStore, query),
  ),
  route(
    'createToken',
    'POST /tokens',
    'Create a token; it is shown only this once',
    { may: 'administer', body: NewToken, reply: TokenWithSecret, status: 201 },
    ({ backOfficeStore, actor, body }) => createToken(backOfficeStore, actor, body),
  ),
  route(
    'deleteToken',
    'DELETE /tokens',
    'Delete a token',
    {
      may: 'administer',
      query: query({ id: text(0, 200, 'The id of the token.') }),
      problems,
      more,
    },
    ({ environments, backOfficeStore, actor, query }) =>
      deleteTokenEverywhere(environments, backOfficeStore, actor, query.id),
  ),
  route(
    'deleteTokenById',
    'DELETE /tokens/:id',
    'Delete a token, named in the path',
    { may: 'administer', problems, more },
    ({ environments, backOfficeStore, actor, params }) =>
      deleteTokenEverywhere(environments, backOfficeStore, actor, params.id),
  ),
];
