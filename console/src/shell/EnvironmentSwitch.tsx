/** Goes to the first page of the other environment. Nothing carries over from this one. */
import { useLinkProps } from '@tanstack/react-router';
import type { Environment } from '../api/types.ts';
import { keepEnvironment } from '../app/chosen-environment.ts';
import { classes } from '../ui/text/classes.ts';
import { words } from '../words/words.ts';
import styles from './EnvironmentSwitch.module.css';

interface Props {
  names: readonly Environment[];
  current: Environment;
}

export function EnvironmentSwitch({ names, current }: Props) {
  return (
    <nav className={styles.environments} aria-label={words.shell.environment}>
      {names.map((name) => (
        <EnvironmentLink key={name} name={name} isCurrent={name === current} />
      ))}
    </nav>
  );
}

function EnvironmentLink({ name, isCurrent }: { name: Environment; isCurrent: boolean }) {
  const link = useLinkProps({
    to: '/$environment',
    params: { environment: name },
    onClick: () => keepEnvironment(name),
  });
  return (
    // The router would say "page", but this is current on every page of the environment.
    <a
      {...link}
      className={classes(styles.environment, styles[name])}
      aria-current={isCurrent ? 'true' : undefined}
    >
      <span className={styles.mark} />
      {name}
    </a>
  );
}
