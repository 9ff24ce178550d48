import Type from 'typebox';
import { tokenRoles } from '../../support/tokens/tokens.ts';
import { input, reply, text, time, words } from './forms.ts';

export const Role = words(tokenRoles, {
  title: 'Role',
  description:
    '`viewer` reads, `support` also changes, `admin` also manages tokens, `orders` may only post order events.',
});

export const NewToken = input('NewToken', { name: text(1, 200), role: Role });

export const Token = reply('Token', {
  id: Type.String(),
  name: Type.String(),
  role: Role,
  created_at: time,
});

export const TokenWithSecret = reply('TokenWithSecret', {
  ...Token.properties,
  token: Type.String({ description: 'Shown only this once.' }),
});
