import { Menu } from '@base-ui/react/menu';
import { useState } from 'react';
import { useDesk } from '../desk.tsx';
import { chooseTheme, chosenTheme, type Theme } from '../theme.ts';
import { MoonIcon, SunIcon, SystemIcon } from './icons.tsx';

const themes = [
  ['system', 'As the system', SystemIcon],
  ['light', 'Light', SunIcon],
  ['dark', 'Dark', MoonIcon],
] as const;

export function AccountMenu({ onSignOut }: { onSignOut(): void }) {
  const { session } = useDesk();
  const [theme, setTheme] = useState(chosenTheme);
  function choose(next: Theme) {
    chooseTheme(next);
    setTheme(next);
  }
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="account">
        <span className="account-initial" aria-hidden="true">
          {session.name.slice(0, 1).toUpperCase()}
        </span>
        <span className="account-name">{session.name}</span>
        <span className="visually-hidden">, account</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={6} className="menu-place">
          <Menu.Popup className="menu">
            <p className="menu-who">
              <strong>{session.name}</strong>
              <span>role {session.role}</span>
            </p>
            <Menu.RadioGroup value={theme} onValueChange={choose} aria-label="Colours">
              {themes.map(([name, title, Icon]) => (
                <Menu.RadioItem key={name} value={name} className="menu-item" closeOnClick={false}>
                  <Icon />
                  {title}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="menu-line" />
            <Menu.Item className="menu-item" onClick={onSignOut}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
