/** The menu of whoever is signed in, of the console and of the portal: the colours, and signing out. */
import { Menu } from '@base-ui/react/menu';
import { type ReactNode, useState } from 'react';
import { chooseTheme, chosenTheme, type Theme } from '../app/theme.ts';
import { entriesOf } from '../entries.ts';
import menuStyles from '../ui/forms/Menu.module.css';
import { MoonIcon, SunIcon, SystemIcon } from '../ui/text/icons.tsx';
import textStyles from '../ui/text/text.module.css';
import { words } from '../words/words.ts';
import styles from './PersonMenu.module.css';

const icons = { system: SystemIcon, light: SunIcon, dark: MoonIcon };

interface Props {
  name: string;
  /** Below the name. */
  about: string;
  /** Of `MenuLink`s, before signing out. */
  children?: ReactNode;
  onSignOut(): Promise<void>;
}

export function PersonMenu({ name, about, children, onSignOut }: Props) {
  const [theme, setTheme] = useState(chosenTheme);
  function choose(next: Theme) {
    chooseTheme(next);
    setTheme(next);
  }
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.account}>
        <span className={styles.initial} aria-hidden="true">
          {name.slice(0, 1).toUpperCase()}
        </span>
        <span className={styles.name}>{name}</span>
        <span className={textStyles.visuallyHidden}>{words.account.label}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className={menuStyles.positioner}>
          <Menu.Popup className={menuStyles.menu}>
            <p className={menuStyles.who}>
              <strong>{name}</strong>
              <span>{about}</span>
            </p>
            <Menu.RadioGroup
              value={theme}
              onValueChange={choose}
              aria-label={words.account.colours}
            >
              {entriesOf(words.account.themes).map(([one, title]) => {
                const Icon = icons[one];
                return (
                  <Menu.RadioItem
                    key={one}
                    value={one}
                    className={menuStyles.item}
                    closeOnClick={false}
                  >
                    <Icon />
                    {title}
                  </Menu.RadioItem>
                );
              })}
            </Menu.RadioGroup>
            <Menu.Separator className={menuStyles.line} />
            {children}
            <Menu.Item className={menuStyles.item} onClick={() => void onSignOut()}>
              {words.account.signOut}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

export function MenuLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Menu.LinkItem className={menuStyles.item} href={href}>
      {children}
    </Menu.LinkItem>
  );
}
