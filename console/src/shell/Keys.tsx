/** Keys that are pressed one after the other. */
import { words } from '../words/words.ts';
import styles from './Keys.module.css';

export function Keys({ keys }: { keys: readonly string[] }) {
  return keys.map((key, at) => (
    <span key={key}>
      {at > 0 && words.keyboard.inBetween}
      <kbd className={styles.key}>{key}</kbd>
    </span>
  ));
}
