import { useQueryClient } from '@tanstack/react-query';
import { MenuLink, PersonMenu } from '../../../console/src/shell/PersonMenu.tsx';
import { exactTime } from '../../../console/src/ui/text/times.ts';
import { forgetMe } from '../api/session.ts';
import { useView } from '../app/view.tsx';
import { words } from '../words/words.ts';

export default function AccountMenu() {
  const { me, call, environment } = useView();
  const client = useQueryClient();
  /** On this page even if the server cannot be reached. */
  async function signOut() {
    await call('signOut', {}).catch(() => undefined);
    forgetMe(client, environment);
  }
  return (
    <PersonMenu
      name={me.partner.name}
      about={words.account.until(exactTime(me.expires_at))}
      onSignOut={signOut}
    >
      {me.return_url && (
        <MenuLink href={me.return_url}>{words.account.back(new URL(me.return_url).host)}</MenuLink>
      )}
    </PersonMenu>
  );
}
