/** Downloads a list as it is filtered, all of it. The browser writes it to the disk while it arrives. */
import buttonStyles from '../ui/forms/Button.module.css';
import { classes } from '../ui/text/classes.ts';
import { DownloadIcon } from '../ui/text/icons.tsx';
import styles from './DownloadCsv.module.css';

export function DownloadCsv({ href }: { href: string }) {
  return (
    <a className={classes(buttonStyles.button, styles.link)} href={href} download>
      <DownloadIcon /> CSV
    </a>
  );
}
