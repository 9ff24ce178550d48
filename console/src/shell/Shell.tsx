/**
 * What surrounds every page: the environment, the menu, the search and the account. The menu comes first in the
 * order of the Tab key, after the link that skips it.
 */
import { useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { whenReachable } from '../api/connection.ts';
import { useEnvironment } from '../app/environment.tsx';
import buttonStyles from '../ui/forms/Button.module.css';
import { Brand, SkipLink, TopBar } from '../ui/page/TopBar.tsx';
import { classes } from '../ui/text/classes.ts';
import { CloseIcon, MenuIcon } from '../ui/text/icons.tsx';
import { zoneName } from '../ui/text/zone.ts';
import { EnvironmentSwitch } from './EnvironmentSwitch.tsx';
import { Navigation } from './Navigation.tsx';
import { SearchBox } from './SearchBox.tsx';
import styles from './Shell.module.css';
import { useShortcuts } from './use-shortcuts.ts';
import { ZoneSwitch } from './ZoneSwitch.tsx';

// Its menu needs a third of the component library; no page should wait for that.
const AccountMenu = lazy(() => whenReachable(() => import('./AccountMenu.tsx')));
const KeyboardHelp = lazy(() => whenReachable(() => import('./KeyboardHelp.tsx')));

export function Shell({ children }: { children: ReactNode }) {
  const { environment } = useEnvironment();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [menuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [path]);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useShortcuts(() => setHelpOpen(true));
  const side = useRef<HTMLElement>(null);
  useEffect(() => {
    if (menuOpen) side.current?.querySelector('a')?.focus();
  }, [menuOpen]);

  return (
    <div className={classes(styles.shell, menuOpen && styles.open)}>
      <SkipLink />
      <aside className={styles.side} id="side" aria-label="Menu" ref={side}>
        <EnvironmentSwitch />
        <Navigation />
        <ZoneSwitch />
      </aside>
      <TopBar>
        <button
          type="button"
          className={`${buttonStyles.icon} ${styles.menuButton}`}
          aria-label={menuOpen ? 'Close the menu' : 'Open the menu'}
          aria-expanded={menuOpen}
          aria-controls="side"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          {menuOpen ? <CloseIcon /> : <MenuIcon />}
        </button>
        <Brand />
        <span className={styles.environment}>{environment}</span>
        <SearchBox />
        <Suspense fallback={<span className={styles.account} />}>
          <AccountMenu />
        </Suspense>
      </TopBar>
      <main className={styles.content} id="content" tabIndex={-1}>
        {children}
        <p className={styles.zone}>Times in {zoneName()}</p>
      </main>
      {isHelpOpen && (
        <Suspense>
          <KeyboardHelp onClose={() => setHelpOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
