/**
 * The frame of every page. Its title gets the focus when someone goes to the page, so that people who use a
 * keyboard or a screen reader start there. When the console itself is opened, the browser decides, and the first
 * Tab leads to the link that skips the menu, and then to the menu.
 */
import { type ReactNode, useEffect, useRef } from 'react';
import { hasActed } from './has-acted.ts';
import styles from './Page.module.css';
import { useSite } from './site.ts';

interface Props {
  title: string;
  /** The link above the title: the way back up. */
  up?: ReactNode;
  badges?: ReactNode;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

export function Page({ title, up, badges, about, actions, children }: Props) {
  const site = useSite();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · ${site}`;
  }, [title, site]);
  useEffect(() => {
    if (hasActed()) heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div className={styles.names}>
          {up && <div className={styles.up}>{up}</div>}
          <div className={styles.title} data-page-title>
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {badges}
          </div>
          {about && <div className={styles.about}>{about}</div>}
        </div>
        {actions && (
          <div className={styles.actions} data-actions>
            {actions}
          </div>
        )}
      </header>
      {children}
    </div>
  );
}
