/** Changes of several endpoints at once. What the filter hides is not selected. */
import type { Grant } from '../../api/types.ts';
import { Button } from '../../ui/forms/Button.tsx';
import { counted } from '../../words/en/counted.ts';
import { isDefault } from './default-grant.ts';
import styles from './SelectionBar.module.css';

interface Props {
  /** The grants that are listed. */
  shown: readonly Grant[];
  /** The endpoints. */
  selected: ReadonlySet<string>;
  onSelect(selected: ReadonlySet<string>): void;
  onEdit(grants: readonly Grant[], toDefault: boolean): void;
}

export function SelectionBar({ shown, selected, onSelect, onEdit }: Props) {
  const chosen = shown.filter(({ endpoint }) => selected.has(endpoint));
  const changed = chosen.filter((grant) => !isDefault(grant));
  const areAll = shown.length > 0 && chosen.length === shown.length;
  return (
    <div className={styles.bar}>
      <label className={styles.all}>
        <input
          type="checkbox"
          checked={areAll}
          disabled={shown.length === 0}
          onChange={() => onSelect(new Set(areAll ? [] : shown.map(({ endpoint }) => endpoint)))}
        />
        Select all shown
      </label>
      <span className={styles.what} role="status">
        {chosen.length > 0 && `${counted(chosen.length, 'endpoint')} selected`}
      </span>
      {chosen.length > 0 && (
        <>
          <Button onClick={() => onEdit(chosen, false)}>Change limits…</Button>
          <Button disabled={changed.length === 0} onClick={() => onEdit(changed, true)}>
            Back to default…
          </Button>
          <Button kind="quiet" onClick={() => onSelect(new Set())}>
            Clear selection
          </Button>
        </>
      )}
    </div>
  );
}
