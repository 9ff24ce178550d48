import { Menu } from '@base-ui/react/menu';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { chooseTheme, chosenTheme, type Theme } from '../../../console/src/app/theme.ts';
import styles from '../../../console/src/shell/AccountMenu.module.css';
import menuStyles from '../../../console/src/ui/forms/Menu.module.css';
import { MoonIcon, SunIcon, SystemIcon } from '../../../console/src/ui/text/icons.tsx';
import textStyles from '../../../console/src/ui/text/text.module.css';
import { exactTime } from '../../../console/src/ui/text/times.ts';
import { forgetMe } from '../api/session.ts';
import { useView } from '../app/view.tsx';
import { words } from '../words/words.ts';

const themes = [
  ['system', words.account.system, SystemIcon],
  ['light', words.account.light, SunIcon],
  ['dark', words.account.dark, MoonIcon],
] as const;

export default function AccountMenu() {
  const { me, call, environment } = useView();
  const client = useQueryClient();
  const [theme, setTheme] = useState(chosenTheme);
  function choose(next: Theme) {
    chooseTheme(next);
    setTheme(next);
  }
  /** On this page even if the server cannot be reached. */
  async function signOut() {
    await call('signOut', {}).catch(() => undefined);
    forgetMe(client, environment);
  }
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.account}>
        <span className={styles.initial} aria-hidden="true">
          {me.partner.name.slice(0, 1).toUpperCase()}
        </span>
        <span className={styles.name}>{me.partner.name}</span>
        <span className={textStyles.visuallyHidden}>{words.account.label}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className={menuStyles.positioner}>
          <Menu.Popup className={menuStyles.menu}>
            <p className={menuStyles.who}>
              <strong>{me.partner.name}</strong>
              <span>{words.account.until(exactTime(me.expires_at))}</span>
            </p>
            <Menu.RadioGroup
              value={theme}
              onValueChange={choose}
              aria-label={words.account.colours}
            >
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
            <Menu.LinkItem className={menuStyles.item} href="/docs/">
              {words.account.docs}
            </Menu.LinkItem>
            {me.return_url && (
              <Menu.LinkItem className={menuStyles.item} href={me.return_url}>
                {words.account.back(new URL(me.return_url).host)}
              </Menu.LinkItem>
            )}
            <Menu.Item className={menuStyles.item} onClick={() => void signOut()}>
              {words.account.signOut}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
