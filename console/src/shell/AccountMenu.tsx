import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { forgetSession } from '../api/session-cache.ts';
import { useSession } from '../app/session.tsx';
import { PersonMenu } from './PersonMenu.tsx';

export default function AccountMenu() {
  const { name, role } = useSession();
  const client = useQueryClient();
  const navigate = useNavigate();
  /** On this page even if the server cannot be reached. */
  async function signOut() {
    const signedOut = await call('signOut', {}).catch(() => undefined);
    forgetSession(client);
    if (signedOut?.continue_at) return location.assign(signedOut.continue_at);
    await navigate({ to: '/', replace: true });
  }
  return <PersonMenu name={name} about={`role ${role}`} onSignOut={signOut} />;
}
