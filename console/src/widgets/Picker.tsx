/**
 * Picks a record by part of its name. The server searches, so the number of records does not matter. Only results of
 * the text as it stands are offered: those of an earlier text would be chosen by a key pressed a moment too early.
 */
import { Combobox } from '@base-ui/react/combobox';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Named, PickedKind } from '../api/queries.ts';
import { useDebounced } from '../api/use-debounced.ts';
import { useEarlyEnter } from '../api/use-early-enter.ts';
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
  kind: PickedKind;
  /** An id; empty or undefined when none is chosen. */
  value: string | undefined;
  onChange(id: string): void;
  /** What no choice means. */
  none: string;
}

export function Picker({ label, kind, value = '', onChange, none }: Props) {
  const name = useName(kind, value);
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const [open, setOpen] = useState(false);
  const { found, isSearching, status } = useFound(kind, open, text === name ? '' : text.trim());
  const enter = useEarlyEnter(isSearching, () => {
    const [only, ...others] = found;
    if (!only || others.length > 0) return;
    onChange(only.id);
    setOpen(false);
  });
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
          onInputValueChange={(typed) => {
            enter.forget();
            setText(typed);
          }}
          open={open}
          onOpenChange={setOpen}
          autoHighlight
        >
          <div className={styles.picker}>
            <Combobox.Input
              {...props}
              placeholder={none}
              spellCheck={false}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !isSearching) return;
                event.preventDefault();
                event.preventBaseUIHandler();
                enter.remember();
              }}
            />
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
  /** There are no results for this text yet. */
  isSearching: boolean;
  status: string;
}

function useFound(kind: PickedKind, isOpen: boolean, text: string): Result {
  const { queries } = useEnvironment();
  const asked = useDebounced(text, text ? PAUSE_MS : 0);
  const query = useQuery({ ...queries.namesWith(kind, asked), enabled: isOpen });
  const problem = problemOf(query);
  if (isOpen && asked !== text) return { found: [], isSearching: true, status: 'Searching…' };
  if (problem) return { found: [], isSearching: false, status: problem.message };
  if (!query.data) return { found: [], isSearching: isOpen, status: 'Searching…' };
  const found = query.data.items;
  return { found, isSearching: false, status: statusOf(kind, found, asked) };
}

function statusOf(kind: PickedKind, found: readonly Named[], asked: string): string {
  if (kind === 'records' && asked === '') return 'Type a name, an order id or a key id.';
  if (found.length === 0) return 'No name contains this.';
  return asked
    ? 'Names that contain this, newest first.'
    : 'Newest first. Type part of a name to search.';
}
