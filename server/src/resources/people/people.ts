/**
 * People who sign in through OpenID Connect. The provider says who they are and which role they have; Bellhop
 * records both at each sign-in, so that the audit can name the person and another role ends their earlier sessions.
 */

import type { Static } from 'typebox';
import { personRoles } from '../../base/config/values.ts';
import { newId } from '../../base/ids.ts';
import type { PersonRow } from '../../store/back-office/schema.ts';
import { endSessions } from '../../store/back-office/sessions.ts';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { exampleId, like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { endPreviews } from '../portal/previews.ts';
import { Problem } from '../problem.ts';
import {
  lockPerson,
  newestPeople,
  putPerson,
  readPerson,
  readPersonById,
  touchPerson,
} from './queries.ts';

export const Person = reply('Person', {
  id: like(exampleId('per', 'd4')),
  name: like(story.person),
  email: orNull(like(story.email, 'Only if the provider has not said that it is unverified.')),
  role: orNull(
    words(personRoles, { description: 'As of the last sign-in; null if they had none then.' }),
  ),
  issuer: like('https://login.example', 'The OpenID Connect provider.'),
  subject: like('248289761001', "The provider's id of the person, `sub`."),
  created_at: time,
  signed_in_at: time,
});

/** What the provider says about a person. */
export type Identity = Pick<PersonRow, 'issuer' | 'subject' | 'name' | 'email' | 'role'>;

/** For the audit, such as `Ada Lovelace <ada@example.com> (oidc 248289761001)`. */
export function personInAudit({ name, email, subject }: Omit<Identity, 'issuer' | 'role'>): string {
  return `${name}${email === null ? '' : ` <${email}>`} (${personWithoutName(subject)})`;
}

function personWithoutName(subject: string): string {
  return `oidc ${subject}`;
}

/**
 * Writes an audit row only if something about the person has changed. Undefined if the person has no role and
 * never had one: everyone at the provider could fill the table.
 */
export async function recordPerson(
  store: BackOfficeStore,
  identity: Identity,
  nowMs: number,
): Promise<PersonRow | undefined> {
  const known = await readPerson(store.db, identity.issuer, identity.subject);
  if (!known && identity.role === null) return undefined;
  if (known && isSame(known, identity)) {
    await touchPerson(store.db, known.id, nowMs);
    return known;
  }
  return store.change(personInAudit(identity), async ({ db, now, audit }) => {
    const before = await lockPerson(db, identity.issuer, identity.subject);
    const id = newId('per', now);
    const row = await putPerson(db, { id, ...identity, created_at: now, signed_in_at: nowMs });
    // A session has the role with which it was opened, and does not come back with it.
    if (before?.role !== row.role) await endSessions(db, { personId: row.id });
    const action = before ? 'person.update' : 'person.create';
    await audit(action, row.id, before ? shown(before) : null, shown(row));
    return row;
  });
}

function showPerson(row: PersonRow): Static<typeof Person> {
  return {
    id: row.id,
    ...shown(row),
    created_at: new Date(row.created_at).toISOString(),
    signed_in_at: new Date(row.signed_in_at).toISOString(),
  };
}

export async function listPeople(
  store: BackOfficeStore,
  request: PageRequest,
): Promise<Page<Static<typeof Person>>> {
  return pageOf(request, {
    read: (slice) => newestPeople(store.db, slice),
    positionOf: (row) => [row.created_at, row.id],
    show: showPerson,
  });
}

/**
 * The person can sign in again for as long as the provider gives them a role. Environments have databases of their own: if
 * one is away, the request fails, and repeating it ends the rest.
 */
export async function endSessionsOf(
  environments: Iterable<SupportEnvironment>,
  store: BackOfficeStore,
  actor: string,
  id: string,
): Promise<void> {
  const subject = await store.change(actor, async ({ db, audit }) => {
    const person = await readPersonById(db, id);
    if (!person) throw new Problem('person_not_found');
    const sessions = await endSessions(db, { personId: id });
    const { name, email } = person;
    await audit('person.end_sessions', id, { name, email, sessions }, { name, email, sessions: 0 });
    return person.subject;
  });
  await endPreviews(environments, actor, personWithoutName(subject));
}

function shown({ issuer, subject, name, email, role }: Identity): Identity {
  return { issuer, subject, name, email, role };
}

function isSame(one: Identity, other: Identity): boolean {
  return one.name === other.name && one.email === other.email && one.role === other.role;
}
