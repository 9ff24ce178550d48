/**
 * What surrounds every page: whose portal this is, the environment, the menu and the account. A session of support is
 * marked here, so no page can forget to.
 */
import { useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { whenReachable } from '../../../console/src/api/connection.ts';
import styles from '../../../console/src/shell/Shell.module.css';
import { ZoneSwitch } from '../../../console/src/shell/ZoneSwitch.tsx';
import buttonStyles from '../../../console/src/ui/forms/Button.module.css';
import { Note } from '../../../console/src/ui/page/Note.tsx';
import { SkipLink, TopBar } from '../../../console/src/ui/page/TopBar.tsx';
import { classes } from '../../../console/src/ui/text/classes.ts';
import { CloseIcon, MenuIcon } from '../../../console/src/ui/text/icons.tsx';
import { zoneName } from '../../../console/src/ui/text/zone.ts';
import { useView } from '../app/view.tsx';
import { words } from '../words/words.ts';
import { Brand } from './Brand.tsx';
import { EnvironmentSwitch } from './EnvironmentSwitch.tsx';
import { Navigation } from './Navigation.tsx';
import own from './Shell.module.css';

// Its menu needs a third of the component library; no page should wait for that.
const AccountMenu = lazy(() => whenReachable(() => import('./AccountMenu.tsx')));

export function Shell({ children }: { children: ReactNode }) {
  const { environment, me } = useView();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const [menuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [path]);
  const side = useRef<HTMLElement>(null);
  useEffect(() => {
    if (menuOpen) side.current?.querySelector('a')?.focus();
  }, [menuOpen]);
  return (
    <div className={classes(styles.shell, menuOpen && styles.open)}>
      <SkipLink />
      <aside className={styles.side} id="side" aria-label={words.shell.menu} ref={side}>
        <EnvironmentSwitch />
        <Navigation />
        <ZoneSwitch />
      </aside>
      <TopBar isOneLine>
        <button
          type="button"
          className={`${buttonStyles.icon} ${styles.menuButton}`}
          aria-label={menuOpen ? words.shell.closeMenu : words.shell.openMenu}
          aria-expanded={menuOpen}
          aria-controls="side"
          onClick={() => setMenuOpen(!menuOpen)}
        >
          {menuOpen ? <CloseIcon /> : <MenuIcon />}
        </button>
        <Brand />
        <span className={styles.environment}>{environment}</span>
        <span className={own.gap} />
        <Suspense fallback={<span className={styles.account} />}>
          <AccountMenu />
        </Suspense>
      </TopBar>
      <main className={styles.content} id="content" tabIndex={-1}>
        {me.is_read_only && (
          <div className={own.mark}>
            <Note kind="warn">{words.shell.readOnly(me.partner.name)}</Note>
          </div>
        )}
        {children}
        <p className={styles.zone}>{words.shell.timesIn(zoneName())}</p>
      </main>
    </div>
  );
}
