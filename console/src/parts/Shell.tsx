/** What surrounds every page: the environment, the way around, the search, the person. */
import { type ReactNode, useEffect, useState } from 'react';
import { useDesk } from '../desk.tsx';
import { usePath } from '../router.tsx';
import { AccountMenu } from './AccountMenu.tsx';
import { EnvironmentSwitch } from './EnvironmentSwitch.tsx';
import { BellIcon, CloseIcon, MenuIcon } from './icons.tsx';
import { Navigation } from './Navigation.tsx';
import { SearchBox } from './SearchBox.tsx';

export function Shell({ onSignOut, children }: { onSignOut(): void; children: ReactNode }) {
  const { environment } = useDesk();
  const path = usePath();
  const [menuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [path]);

  return (
    <div className={`shell ${menuOpen ? 'shell-open' : ''}`}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <button
          type="button"
          className="icon-button bar-menu"
          aria-label={menuOpen ? 'Close the menu' : 'Open the menu'}
          aria-expanded={menuOpen}
          aria-controls="side"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          {menuOpen ? <CloseIcon /> : <MenuIcon />}
        </button>
        <span className="brand">
          <BellIcon /> Bellhop
        </span>
        <span className="environment-word">{environment}</span>
        <SearchBox />
        <AccountMenu onSignOut={onSignOut} />
      </header>
      <aside className="side" id="side" aria-label="Menu">
        <EnvironmentSwitch />
        <Navigation />
      </aside>
      <main className="content" id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
