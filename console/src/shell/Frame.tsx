/**
 * What surrounds every page of the console and of the portal: the environment, the menu and the account. The menu comes
 * first in the order of the Tab key, after the link that skips it.
 */
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import buttonStyles from '../ui/forms/Button.module.css';
import { SkipLink, TopBar } from '../ui/page/TopBar.tsx';
import { classes } from '../ui/text/classes.ts';
import { CloseIcon, MenuIcon } from '../ui/text/icons.tsx';
import { zoneName } from '../ui/text/zone.ts';
import { words } from '../words/words.ts';
import styles from './Frame.module.css';
import { ZoneSwitch } from './ZoneSwitch.tsx';

interface Props {
  environment: string;
  /** The environments, and the pages of this one. */
  menu: ReactNode;
  brand: ReactNode;
  /** Between the environment's name and the account. */
  beside: ReactNode;
  account: ReactNode;
  /** See `TopBar`. */
  isOneLine?: boolean;
  children: ReactNode;
}

export function Frame({
  environment,
  menu,
  brand,
  beside,
  account,
  isOneLine = false,
  children,
}: Props) {
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
        {menu}
        <ZoneSwitch />
      </aside>
      <TopBar isOneLine={isOneLine}>
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
        <Suspense fallback={<span className={styles.account} />}>{account}</Suspense>
      </TopBar>
      <main className={styles.content} id="content" tabIndex={-1}>
        {children}
        <p className={styles.zone}>{words.zone.timesIn(zoneName())}</p>
      </main>
    </div>
  );
}
