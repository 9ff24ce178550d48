import Type from 'typebox';
import { personRoles } from '../../config/values.ts';
import { orNull, reply, time, words } from '../forms.ts';

export const Person = reply('Person', {
  id: Type.String(),
  name: Type.String(),
  email: orNull(
    Type.String({ description: 'Only if the provider has not said that it is unverified.' }),
  ),
  role: orNull(
    words(personRoles, { description: 'As of the last sign-in; null if they had none then.' }),
  ),
  issuer: Type.String({ description: 'The OpenID Connect provider.' }),
  subject: Type.String({ description: "The provider's id of the person, `sub`." }),
  created_at: time,
  signed_in_at: time,
});
