/** Changes of many deliveries: of those that are selected, or else of everything that the filter finds. */
import { useState } from 'react';
import type { BulkAction, DeliveryFilter } from '../../api/types.ts';
import { Button } from '../../ui/forms/Button.tsx';
import styles from './BulkBar.module.css';
import { BulkDialog } from './BulkDialog.tsx';
import type { Selection } from './use-selection.ts';

interface Props {
  filter: DeliveryFilter;
  selection: Selection;
}

export function BulkBar({ filter, selection }: Props) {
  const [open, setOpen] = useState<BulkAction>();
  const { selected, areAll, toggleAll, clear } = selection;
  const isSelection = selected.length > 0;
  return (
    <div className={styles.bar}>
      <label className={styles.all}>
        <input type="checkbox" checked={areAll} onChange={toggleAll} />
        Select all shown
      </label>
      <span className={styles.what} role="status">
        {isSelection ? `${selected.length} selected` : 'Everything this filter finds'}
      </span>
      <Button onClick={() => setOpen('retry')}>{isSelection ? 'Retry' : 'Retry all…'}</Button>
      <Button onClick={() => setOpen('cancel')}>{isSelection ? 'Cancel' : 'Cancel all…'}</Button>
      {isSelection && (
        <Button kind="quiet" onClick={clear}>
          Clear selection
        </Button>
      )}
      {open && (
        <BulkDialog
          action={open}
          filter={filter}
          selected={selected}
          onDone={clear}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}
