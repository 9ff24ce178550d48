/** Who makes a request: a token, or a person who signed in through OpenID Connect. */

import { personInAudit } from '../resources/people/people.ts';
import type { TokenRole } from '../resources/tokens/tokens.ts';
import type { PersonRow, TokenRow } from '../store/back-office/schema.ts';

export interface Principal {
  name: string;
  role: TokenRole;
  /** For the audit. */
  actor: string;
  /** The token, also if it is used through a session. */
  token?: TokenRow;
}

export function principalOfToken(token: TokenRow): Principal {
  const { name, id, role } = token;
  return { name, role, actor: `${name} (${id})`, token };
}

/** Undefined if the person has no role. */
export function principalOfPerson(person: PersonRow): Principal | undefined {
  const { name, role } = person;
  return role === null ? undefined : { name, role, actor: personInAudit(person) };
}
