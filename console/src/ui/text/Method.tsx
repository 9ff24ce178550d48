/** An HTTP method in its colour. */
import { classes } from './classes.ts';
import styles from './Method.module.css';

export function Method({ name }: { name: string }) {
  return <span className={classes(styles.method, styles[name])}>{name}</span>;
}
