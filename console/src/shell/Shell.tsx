/** What surrounds every page: the environment, the menu, the search and the account. */
import { useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useEnvironment } from '../app/environment.tsx';
import buttonStyles from '../ui/forms/Button.module.css';
import { Brand, SkipLink, TopBar } from '../ui/page/TopBar.tsx';
import { classes } from '../ui/text/classes.ts';
import { CloseIcon, MenuIcon } from '../ui/text/icons.tsx';
import { EnvironmentSwitch } from './EnvironmentSwitch.tsx';
import { Navigation } from './Navigation.tsx';
import { SearchBox } from './SearchBox.tsx';
import styles from './Shell.module.css';

// Its menu needs a third of the component library; no page should wait for that.
const AccountMenu = lazy(() => import('./AccountMenu.tsx'));

export function Shell({ children }: { children: ReactNode }) {
  const { environment } = useEnvironment();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [menuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [path]);

  return (
    <div className={classes(styles.shell, menuOpen && styles.open)}>
      <SkipLink />
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
      <aside className={styles.side} id="side" aria-label="Menu">
        <EnvironmentSwitch />
        <Navigation />
      </aside>
      <main className={styles.content} id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
