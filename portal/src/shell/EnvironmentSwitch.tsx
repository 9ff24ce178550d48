/** The environment of this session, and the other one where the same person is signed in to it. */
import { useLinkProps } from '@tanstack/react-router';
import styles from '../../../console/src/shell/EnvironmentSwitch.module.css';
import { classes } from '../../../console/src/ui/text/classes.ts';
import type { Environment } from '../api/types.ts';
import { useEntrance } from '../app/entrance.ts';
import { useView } from '../app/view.tsx';
import { words } from '../words/words.ts';

export function EnvironmentSwitch() {
  const { environment } = useView();
  const shown = useEntrance().environments.filter(
    ({ name, is_signed_in }) => is_signed_in || name === environment,
  );
  return (
    <nav className={styles.environments} aria-label={words.shell.environment}>
      {shown.map(({ name }) => (
        <EnvironmentLink key={name} name={name} />
      ))}
    </nav>
  );
}

function EnvironmentLink({ name }: { name: Environment }) {
  const { environment } = useView();
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
