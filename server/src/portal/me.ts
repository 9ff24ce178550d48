import type { Static } from 'typebox';
import type { SupportEnvironment } from '../resources/environment.ts';
import { like, story } from '../resources/examples.ts';
import { Environment, orNull, reply, Type, time } from '../resources/forms.ts';
import type { OpenSession } from '../resources/portal/queries.ts';
import { readScopes, Scopes } from '../resources/portal/scopes.ts';
import { CameBy } from '../resources/portal/sessions.ts';

export const Me = reply('Me', {
  partner: reply('MyPartner', { id: like(story.partnerId), name: like(story.partner) }),
  environment: Environment,
  scopes: Scopes,
  is_read_only: Type.Boolean({
    description: 'True for support that looks as the partner sees it. Pages say so.',
  }),
  came_by: CameBy,
  key_id: orNull(like(story.keyId, 'The key that signed in.')),
  return_url: orNull(
    Type.String({ description: 'Where people came from, if the link says so; to lead them back.' }),
  ),
  signed_in_at: time,
  expires_at: time,
});

export function showMe(
  { name }: Pick<SupportEnvironment, 'name'>,
  session: OpenSession,
): Static<typeof Me> {
  return {
    partner: { id: session.partner_id, name: session.partner_name },
    environment: name,
    scopes: readScopes(session.scopes),
    is_read_only: session.came_by === 'support',
    came_by: session.came_by,
    key_id: session.key_id,
    return_url: session.return_url,
    signed_in_at: new Date(session.created_at).toISOString(),
    expires_at: new Date(session.expires_at).toISOString(),
  };
}
