import { Ago, Time } from '../ui/text/Time.tsx';
import styles from './Overlaps.module.css';

/** When each earlier API key of a key stops working, the latest rotation first. */
export function Overlaps({ ends }: { ends: string[] }) {
  return (
    <ul className={styles.overlaps} aria-label="Earlier API keys">
      {ends.map((end) => (
        <li key={end}>
          until <Time at={end} /> (<Ago at={end} />)
        </li>
      ))}
    </ul>
  );
}

export function earlierKeysWork(count: number): string {
  return count === 1 ? 'An earlier API key still works.' : `${count} earlier API keys still work.`;
}
