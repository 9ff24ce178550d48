/** Picks a record by part of its name. The server searches, so the number of records does not matter. */
import { Combobox } from '@base-ui/react/combobox';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Named, NamedKind } from '../api/queries.ts';
import { useDebounced } from '../api/use-debounced.ts';
import { problemOf } from '../api/use-live-query.ts';
import { useEnvironment } from '../app/environment.tsx';
import buttonStyles from '../ui/forms/Button.module.css';
import { Field } from '../ui/forms/Field.tsx';
import menuStyles from '../ui/forms/Menu.module.css';
import { CloseIcon } from '../ui/text/icons.tsx';
import styles from './Picker.module.css';
import { useName } from './use-name.ts';

const PAUSE_MS = 180;

interface Props {
  label: string;
  kind: NamedKind;
  /** An id; empty when none is chosen. */
  value: string;
  onChange(id: string): void;
  /** What no choice means. */
  none: string;
}

export function Picker({ label, kind, value, onChange, none }: Props) {
  const name = useName(kind, value);
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const [open, setOpen] = useState(false);
  const { found, status } = useFound(kind, open, text === name ? '' : text.trim());
  return (
    <Field label={label}>
      {(props) => (
        <Combobox.Root<Named>
          items={found}
          filter={null}
          value={value ? { id: value, name } : null}
          onValueChange={(chosen) => onChange(chosen?.id ?? '')}
          itemToStringLabel={(item) => item.name}
          isItemEqualToValue={(one, other) => one.id === other.id}
          inputValue={text}
          onInputValueChange={setText}
          open={open}
          onOpenChange={setOpen}
          autoHighlight
        >
          <div className={styles.picker}>
            <Combobox.Input {...props} placeholder={none} spellCheck={false} />
            {value && (
              <Combobox.Clear className={buttonStyles.icon} aria-label={`${label}: ${none}`}>
                <CloseIcon />
              </Combobox.Clear>
            )}
          </div>
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} align="start" className={menuStyles.positioner}>
              <Combobox.Popup className={`${menuStyles.menu} ${styles.menu}`}>
                <Combobox.Status className={styles.status}>{status}</Combobox.Status>
                <Combobox.List aria-label={label}>
                  {(item: Named) => (
                    <Combobox.Item key={item.id} value={item} className={styles.item}>
                      <span className={styles.name}>{item.name}</span>
                      <code className={styles.id}>{item.id}</code>
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </Combobox.Popup>
            </Combobox.Positioner>
          </Combobox.Portal>
        </Combobox.Root>
      )}
    </Field>
  );
}

interface Result {
  found: Named[];
  status: string;
}

function useFound(kind: NamedKind, isOpen: boolean, text: string): Result {
  const { queries } = useEnvironment();
  const asked = useDebounced(text, text ? PAUSE_MS : 0);
  const query = useQuery({
    ...queries.namesWith(kind, asked),
    enabled: isOpen,
    // The last results stay while the next ones are read, so the list does not jump.
    placeholderData: keepPreviousData,
  });
  const found = query.data?.items ?? [];
  const problem = problemOf(query);
  if (problem) return { found: [], status: problem.message };
  if (!query.data) return { found, status: 'Searching…' };
  if (found.length === 0) return { found, status: 'No name contains this.' };
  return {
    found,
    status: asked
      ? 'Names that contain this, newest first.'
      : 'Newest first. Type part of a name to search.',
  };
}
