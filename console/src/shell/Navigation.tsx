/**
 * The menu of an environment's pages. The console and the portal have a table of theirs each, from which the shortcuts
 * and the entries of the search are made, too.
 */
import { Link, type LinkOptions, type RegisteredRouter } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
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

interface Props {
  /** The first one is the page at the address of the environment itself. */
  places: readonly Place[];
  /** Of links that lead elsewhere. */
  children?: ReactNode;
}

export function Navigation({ places, children }: Props) {
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
      {children}
    </nav>
  );
}
