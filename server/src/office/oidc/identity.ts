/** What Bellhop takes from a provider's claims: an id that stays the same, a name, an email and a role. */
import { type PersonRole, personRoles } from '../../base/config/values.ts';
import type { Identity } from '../../resources/people/people.ts';
import { SignInRefused } from './refusal.ts';
import type { OidcSettings } from './settings.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** The longest `sub` of the specification. */
const LONGEST_SUBJECT = 255;
export const LONGEST_NAME = 200;
const LONGEST_EMAIL = 254;

export function identityFrom(
  claims: Claims,
  { issuer, rolesClaim, roleMap }: Pick<OidcSettings, 'issuer' | 'rolesClaim' | 'roleMap'>,
): Identity {
  const subject = String(claims.sub);
  if (subject.length > LONGEST_SUBJECT || !/^[\x20-\x7e]+$/.test(subject)) {
    throw new SignInRefused('failed', 'sub is not 1 to 255 printable ASCII characters');
  }
  const email = emailIn(claims);
  const { name, preferred_username, nickname } = claims;
  const shown = [name, preferred_username, nickname, email].map(cleaned).find((one) => one !== '');
  const values = claimAt(claims, rolesClaim);
  return { issuer, subject, name: shown ?? subject, email, role: strongestRole(values, roleMap) };
}

/**
 * Names are shown to others, so they have no control characters. They have no angle brackets either, because the
 * audit writes `name <email>`: a name could otherwise claim another email.
 */
function cleaned(text: unknown): string {
  if (typeof text !== 'string') return '';
  const plain = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return [...plain].slice(0, LONGEST_NAME).join('');
}

function emailIn({ email, email_verified }: Claims): string | null {
  if (typeof email !== 'string' || email.length > LONGEST_EMAIL) return null;
  if (email_verified === false || email_verified === 'false') return null;
  return /^[^\s\p{C}<>()@]+@[^\s\p{C}<>()@]+$/u.test(email) ? email : null;
}

/** A claim of this name, or a path to one inside another: `realm_access.roles`. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

/** Of several roles, the one that may do the most; null if there is none. */
function strongestRole(
  values: unknown,
  roleMap: ReadonlyMap<string, PersonRole>,
): PersonRole | null {
  const roles = new Set([values].flat().map((value) => roleMap.get(value as string)));
  return personRoles.findLast((role) => roles.has(role)) ?? null;
}

/** At most so many names of claims are logged. */
const MOST_NAMES = 30;

/**
 * For the log: a provider that does not send the claim is for its administrator to set up, a person without a role is
 * not. It has names of claims and never what they contain, which is about the person.
 */
export function whyNoRole(
  claims: Claims,
  { rolesClaim }: Pick<OidcSettings, 'rolesClaim'>,
): SignInRefused {
  const values = claimAt(claims, rolesClaim);
  if (values !== undefined) {
    const count = [values].flat().length;
    return new SignInRefused(
      'no_role',
      `the claim ${rolesClaim} has values (${count}), but none that BELLHOP_OIDC_ROLE_MAP names`,
    );
  }
  const isElsewhere = claimAt(claims, `_claim_names.${rolesClaim}`) !== undefined;
  const names = Object.keys(claims).slice(0, MOST_NAMES).map(cleaned).join(', ');
  return new SignInRefused(
    'no_claim',
    isElsewhere
      ? `the provider left the claim ${rolesClaim} out because it has too many values (_claim_names)`
      : `neither the ID token nor the user info has the claim ${rolesClaim} (BELLHOP_OIDC_ROLES_CLAIM); they have ${names}`,
  );
}
