import Type from 'typebox';
import { Environment, input, reply } from '../resources/forms.ts';
import { Role } from '../resources/tokens/tokens.ts';

export const NewConsoleSession = input('NewConsoleSession', {
  token: Type.String({ minLength: 1, maxLength: 256 }),
});

export const SignInMethods = reply('SignInMethods', {
  openid_connect: Type.Boolean({
    description: 'Whether people can sign in at `/console/oidc/sign-in`. Tokens always work.',
  }),
});

export const ConsoleSession = reply('ConsoleSession', {
  name: Type.String(),
  role: Role,
  environments: Type.Array(Environment, { description: 'Those that this process serves.' }),
});
