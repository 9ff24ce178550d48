/**
 * Only the name. An actor is recorded with the id of the token, with the email and id of the person, or, in the portal,
 * with the id of the partner.
 */
export function actorName(actor: string): string {
  return actor
    .replace(/ \(portal \w+\)$/, ' (portal)')
    .replace(/( <[^<>]*>)? \((tok_\w+|oidc [^()]*)\)$/, '');
}
