/**
 * People who sign in through OpenID Connect. The provider says who they are and which role they have; Bellhop
 * records both at each sign-in, so that the audit can name the person and a lost role ends their sessions.
 */
import { newId } from '../../ids.ts';
import { putPerson, readPerson } from '../../store/back-office/people.ts';
import type { PersonRow } from '../../store/back-office/schema.ts';
import type { BackOfficeStore } from '../../store/back-office/store.ts';

/** What the provider says about a person. */
export type Identity = Pick<PersonRow, 'issuer' | 'subject' | 'name' | 'email' | 'role'>;

/** For the audit, such as `Ada Lovelace <ada@example.com> (oidc 248289761001)`. */
export function personInAudit({ name, email, subject }: Omit<Identity, 'issuer' | 'role'>): string {
  return `${name}${email === null ? '' : ` <${email}>`} (oidc ${subject})`;
}

/**
 * Writes an audit row only if something about the person has changed. Undefined if the person has no role and
 * never had one: everyone at the provider could fill the table.
 */
export async function recordPerson(
  store: BackOfficeStore,
  identity: Identity,
): Promise<PersonRow | undefined> {
  const known = await readPerson(store.db, identity.issuer, identity.subject);
  if (!known && identity.role === null) return undefined;
  if (known && isSame(known, identity)) return known;
  return store.change(personInAudit(identity), async ({ db, now, audit }) => {
    const row = await putPerson(db, { id: newId('per', now), ...identity, created_at: now });
    const action = known ? 'person.update' : 'person.create';
    await audit(action, row.id, known ? shown(known) : null, shown(row));
    return row;
  });
}

function shown({ issuer, subject, name, email, role }: Identity): Identity {
  return { issuer, subject, name, email, role };
}

function isSame(one: Identity, other: Identity): boolean {
  return one.name === other.name && one.email === other.email && one.role === other.role;
}
