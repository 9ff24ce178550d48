/**
 * Whose key signs for a midoffice. A body's signature covers no payload, so whoever receives a webhook that another
 * partner's key has signed can forge webhooks to that partner. Support may set this up, because one receiver can serve
 * several partners, but it is warned; in the portal, nobody can make use of it.
 */
import type { Static } from 'typebox';
import type { Database } from '../../store/schema.ts';
import type { Warnings } from '../forms.ts';
import { Problem } from '../problem.ts';
import { hasOtherPartners, isSignedWithKeyOf, signedWithKeysOfOthers } from './queries.ts';

const BORROWED_KEY: Static<typeof Warnings>[number] = {
  code: 'signing_key_not_own',
  detail:
    'No partner that works with this midoffice owns its signing key. Its receiver can forge webhooks to the partner that does; choose a key of a partner that works with it.',
};

/** What support should know about each of these midoffices. */
export async function warningsAbout(
  db: Database,
  midofficeIds: readonly string[],
): Promise<(midofficeId: string) => Static<typeof Warnings>> {
  const borrowed = await signedWithKeysOfOthers(db, midofficeIds);
  return (id) => (borrowed.has(id) ? [BORROWED_KEY] : []);
}

export interface Ownership {
  /** Other partners work with it too, or events of their orders named it. */
  isShared: boolean;
  /** Nobody else works with it, and it signs with a key of the partner. */
  isOwn: boolean;
}

export async function ownershipOf(
  db: Database,
  partnerId: string,
  midofficeId: string,
): Promise<Ownership> {
  const isShared = await hasOtherPartners(db, partnerId, midofficeId);
  return { isShared, isOwn: !isShared && (await isSignedWithKeyOf(db, partnerId, midofficeId)) };
}

/** Throws unless the partner may change the midoffice and let webhooks be sent to it. */
export async function checkOwn(
  db: Database,
  partnerId: string,
  midofficeId: string,
): Promise<void> {
  const { isShared, isOwn } = await ownershipOf(db, partnerId, midofficeId);
  if (isOwn) return;
  const why = isShared
    ? 'Webhooks of other partners go to this midoffice too'
    : 'This midoffice signs with a key that is not yours';
  throw new Problem('midoffice_not_own', `${why}; ask API support to change it or to send to it.`);
}
