import { Menu } from '@base-ui/react/menu';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { forgetSession } from '../api/session-cache.ts';
import { useSession } from '../app/session.tsx';
import { chooseTheme, chosenTheme, type Theme } from '../app/theme.ts';
import menuStyles from '../ui/forms/Menu.module.css';
import { MoonIcon, SunIcon, SystemIcon } from '../ui/text/icons.tsx';
import textStyles from '../ui/text/text.module.css';
import styles from './AccountMenu.module.css';

/** Signs out on this page even if the server cannot be reached. */
function useSignOut(): () => Promise<void> {
  const client = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    const signedOut = await call('signOut', {}).catch(() => undefined);
    forgetSession(client);
    if (signedOut?.continue_at) return location.assign(signedOut.continue_at);
    await navigate({ to: '/', replace: true });
  };
}

const themes = [
  ['system', 'Same as the system', SystemIcon],
  ['light', 'Light', SunIcon],
  ['dark', 'Dark', MoonIcon],
] as const;

export default function AccountMenu() {
  const session = useSession();
  const signOut = useSignOut();
  const [theme, setTheme] = useState(chosenTheme);
  function choose(next: Theme) {
    chooseTheme(next);
    setTheme(next);
  }
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.account}>
        <span className={styles.initial} aria-hidden="true">
          {session.name.slice(0, 1).toUpperCase()}
        </span>
        <span className={styles.name}>{session.name}</span>
        <span className={textStyles.visuallyHidden}>, account</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className={menuStyles.positioner}>
          <Menu.Popup className={menuStyles.menu}>
            <p className={menuStyles.who}>
              <strong>{session.name}</strong>
              <span>role {session.role}</span>
            </p>
            <Menu.RadioGroup value={theme} onValueChange={choose} aria-label="Colours">
              {themes.map(([name, title, Icon]) => (
                <Menu.RadioItem
                  key={name}
                  value={name}
                  className={menuStyles.item}
                  closeOnClick={false}
                >
                  <Icon />
                  {title}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className={menuStyles.line} />
            <Menu.Item className={menuStyles.item} onClick={() => void signOut()}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
