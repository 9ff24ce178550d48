/** Downloads a list as it is filtered, all of it. The browser writes it to the disk while it arrives. */
import { useEnvironment } from '../app/environment.tsx';
import buttonStyles from '../ui/forms/Button.module.css';
import { classes } from '../ui/text/classes.ts';
import { DownloadIcon } from '../ui/text/icons.tsx';
import styles from './DownloadCsv.module.css';

interface Props {
  /** Its address, after that of the environment. */
  list: string | readonly string[];
  query?: Record<string, string | undefined>;
}

export function DownloadCsv({ list, query = {} }: Props) {
  const { api } = useEnvironment();
  return <CsvLink href={api.csvOf(list, query)} />;
}

export function CsvLink({ href }: { href: string }) {
  return (
    <a className={classes(buttonStyles.button, styles.link)} href={href} download>
      <DownloadIcon /> CSV
    </a>
  );
}
