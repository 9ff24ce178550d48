/**
 * Changes of many deliveries: of those that are selected, or else of everything that the filter finds. Without a
 * filter, that would be every delivery there is, so nothing is offered.
 */
import { useState } from 'react';
import type { BulkAction, DeliveryFilter } from '../../api/types.ts';
import { entriesOf } from '../../entries.ts';
import { Button } from '../../ui/forms/Button.tsx';
import { inDigits } from '../../ui/text/numbers.ts';
import { BulkDialog } from '../../widgets/bulk/BulkDialog.tsx';
import { bulkWords } from '../../widgets/bulk/bulk-words.ts';
import styles from './BulkBar.module.css';
import type { Selection } from './use-selection.ts';

interface Props {
  filter: DeliveryFilter;
  isFiltered: boolean;
  selection: Selection;
}

export function BulkBar({ filter, isFiltered, selection }: Props) {
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
        {isSelection
          ? `${inDigits(selected.length)} selected`
          : isFiltered
            ? 'Everything this filter finds'
            : 'Select some, or filter the list, to change many at once.'}
      </span>
      {(isSelection || isFiltered) &&
        entriesOf(bulkWords).map(([action, words]) => (
          <Button key={action} onClick={() => setOpen(action)}>
            {isSelection ? words.one : words.all}
          </Button>
        ))}
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
