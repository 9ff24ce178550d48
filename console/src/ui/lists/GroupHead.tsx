import { inDigits } from '../text/numbers.ts';
import styles from './GroupHead.module.css';
import type { Folds, Group } from './groups.ts';

interface Props {
  group: Group<unknown>;
  columns: number;
  folds: Folds;
}

/** The row above a group. It is a button only where the group can be folded. */
export function GroupHead({ group: { name, rows }, columns, folds }: Props) {
  return (
    <tr className={styles.head} data-group>
      <th scope="rowgroup" colSpan={columns}>
        <span className={styles.name}>{name}</span>
        <button
          type="button"
          className={styles.fold}
          aria-expanded={folds.isOpen(name)}
          onClick={() => folds.toggle(name)}
        >
          {name} <span>{inDigits(rows.length)}</span>
        </button>
      </th>
    </tr>
  );
}
