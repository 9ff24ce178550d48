/**
 * The menu of an environment's pages. The console and the portal have a table of theirs each, from which the shortcuts
 * and the entries of the search are made, too.
 */
import { Link, type LinkOptions, type RegisteredRouter } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { Badge } from '../ui/text/Badge.tsx';
import textStyles from '../ui/text/text.module.css';
import { words } from '../words/words.ts';
import styles from './Navigation.module.css';

export interface Place {
  title: string;
  /** After "g", it leads there. */
  letter: string;
  Icon: ComponentType;
  link: LinkOptions<RegisteredRouter, string, string>;
  /** How many things on that page wait for somebody; empty if nothing does. */
  tasks?: string;
}

/** The first one is the page at the address of the environment itself. */
export function Navigation({ places }: { places: readonly Place[] }) {
  return (
    <nav className={styles.navigation} aria-label={words.shell.pages}>
      {places.map(({ title, Icon, link, tasks }, at) => (
        <Link key={title} {...link} activeOptions={{ exact: at === 0, includeSearch: false }}>
          <Icon /> {title}
          {tasks && (
            <>
              {' '}
              <Badge tone="accent">
                {tasks}
                <span className={textStyles.visuallyHidden}> {words.shell.unanswered}</span>
              </Badge>
            </>
          )}
        </Link>
      ))}
    </nav>
  );
}
