import type { Partner, PortalSession } from '../../../api/types.ts';
import { useEnvironment } from '../../../app/environment.tsx';
import { Ago } from '../../../ui/text/Time.tsx';
import { Actor } from '../../../widgets/AuditList.tsx';
import { AccessRow, AccessRows } from './AccessRows.tsx';
import { scopesInWords } from './scopes.ts';

interface Props {
  partner: Partner;
  sessions: readonly PortalSession[];
}

/** Who is signed in to the portal now. */
export function Sessions({ partner, sessions }: Props) {
  const { call } = useEnvironment();
  return (
    <AccessRows label="Signed in">
      {sessions.map((session) => (
        <AccessRow
          key={session.id}
          head={<CameBy session={session} />}
          ending={{
            what: `the session from ${session.address}`,
            title: 'End this session?',
            text: 'Its next request is refused. To come in again, the person needs a new link or a key.',
            done: 'The session has ended.',
            end: () => call('endPortalSession', { id: partner.id, session_id: session.id }),
          }}
        >
          May: {scopesInWords(session.scopes)} · from <code>{session.address}</code> · since{' '}
          <Ago at={session.created_at} /> · ends <Ago at={session.expires_at} />
        </AccessRow>
      ))}
    </AccessRows>
  );
}

function CameBy({ session: { came_by, key_id, opened_by } }: { session: PortalSession }) {
  if (came_by === 'support') {
    return (
      <>
        <Actor actor={opened_by} />, who looks as the partner sees it
      </>
    );
  }
  if (came_by === 'key') {
    return (
      <>
        By key <code>{key_id}</code>
      </>
    );
  }
  return 'By a link';
}
