import Type from 'typebox';
import { givenTime, input, orNull, reply, text, time, words } from '../forms.ts';
import { tokenRoles } from './tokens.ts';

export const Role = words(tokenRoles, {
  title: 'Role',
  description:
    '`viewer` reads. `support` also changes. `admin` also manages tokens, and imports and exports everything, API keys included. `orders` may only post order events.',
});

export const NewToken = input('NewToken', {
  name: text(1, 200),
  role: Role,
  expires_at: Type.Optional(orNull(givenTime())),
});

export const Token = reply('Token', {
  id: Type.String(),
  name: Type.String(),
  role: Role,
  created_at: time,
  expires_at: orNull(time),
  last_used_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'Accurate to a minute, sessions of the console included.',
    }),
  ),
});

export const TokenWithSecret = reply('TokenWithSecret', {
  ...Token.properties,
  token: Type.String({ description: 'Shown only this once.' }),
});
