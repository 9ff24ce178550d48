/** Goes to the first page of the other environment. Nothing carries over from this one. */
import { useLinkProps } from '@tanstack/react-router';
import type { Environment } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { useSession } from '../app/session.tsx';
import { classes } from '../ui/text/classes.ts';
import styles from './EnvironmentSwitch.module.css';

export function EnvironmentSwitch() {
  return (
    <nav className={styles.environments} aria-label="Environment">
      {useSession().environments.map((name) => (
        <EnvironmentLink key={name} name={name} />
      ))}
    </nav>
  );
}

function EnvironmentLink({ name }: { name: Environment }) {
  const { environment } = useEnvironment();
  const link = useLinkProps({ to: '/$environment', params: { environment: name } });
  return (
    // The router would say "page", but this is current on every page of the environment.
    <a
      {...link}
      className={classes(styles.environment, styles[name])}
      aria-current={name === environment ? 'true' : undefined}
    >
      <span className={styles.mark} />
      {name}
    </a>
  );
}
