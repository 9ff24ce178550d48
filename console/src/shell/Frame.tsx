/**
 * What surrounds every page of the console and of the portal: the environment, the menu, the search, the account, and the
 * keys that work anywhere. The menu comes first in the order of the Tab key, after the link that skips it.
 */
import { useLocation, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { whenReachable } from '../api/connection.ts';
import type { Environment } from '../api/types.ts';
import buttonStyles from '../ui/forms/Button.module.css';
import { SkipLink, TopBar } from '../ui/page/TopBar.tsx';
import { classes } from '../ui/text/classes.ts';
import { CloseIcon, DocsIcon, MenuIcon } from '../ui/text/icons.tsx';
import { zoneName } from '../ui/text/zone.ts';
import { words } from '../words/words.ts';
import { EnvironmentSwitch } from './EnvironmentSwitch.tsx';
import styles from './Frame.module.css';
import { Navigation, type Place } from './Navigation.tsx';
import { focusSearch } from './palette/Palette.tsx';
import { shortcutsOf, useShortcuts } from './shortcuts.ts';
import { ZoneSwitch } from './ZoneSwitch.tsx';

const KeyboardHelp = lazy(() => whenReachable(() => import('./KeyboardHelp.tsx')));

interface Props {
  environment: Environment;
  environments: readonly Environment[];
  places: readonly Place[];
  brand: ReactNode;
  /** Between the environment's name and the account. */
  beside: ReactNode;
  account: ReactNode;
  children: ReactNode;
}

export function Frame(props: Props) {
  const { environment, environments, places, brand, beside, account } = props;
  const navigate = useNavigate();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const shortcuts = shortcutsOf(places, {
    go: ({ link }) => void navigate(link),
    search: focusSearch,
    help: () => setHelpOpen(true),
  });
  useShortcuts(shortcuts);
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
        <EnvironmentSwitch names={environments} current={environment} />
        <Navigation places={places} />
        <ZoneSwitch />
      </aside>
      <TopBar>
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
        {brand}
        <span className={styles.environment}>{environment}</span>
        {beside}
        <a className={styles.docs} href="/docs/">
          <DocsIcon /> <span>{words.shell.docs}</span>
        </a>
        <Suspense fallback={<span className={styles.account} />}>{account}</Suspense>
      </TopBar>
      <main className={styles.content} id="content" tabIndex={-1}>
        {props.children}
        <p className={styles.zone}>{words.zone.timesIn(zoneName())}</p>
      </main>
      {isHelpOpen && (
        <Suspense>
          <KeyboardHelp shortcuts={shortcuts} onClose={() => setHelpOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}
