/** One of many, chosen by part of its name: the server searches, so there may be any number. */
import { Combobox } from '@base-ui/react/combobox';
import { useEffect, useState } from 'react';
import type { Named, Names } from '../names.ts';
import { asProblem } from '../problem.ts';
import { Field } from './Field.tsx';
import { CloseIcon } from './icons.tsx';

const PAUSE_MS = 180;

interface Props {
  label: string;
  names: Names;
  /** An id; empty where none is chosen. */
  value: string;
  onChange(id: string): void;
  /** What it means that none is chosen. */
  none: string;
}

export function Picker({ label, names, value, onChange, none }: Props) {
  const name = value && names.of(value);
  const [text, setText] = useState(name);
  useEffect(() => setText(name), [name]);
  const [open, setOpen] = useState(false);
  const { found, word } = useFound(names, open, text === name ? '' : text.trim());
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
          <div className="picker">
            <Combobox.Input {...props} placeholder={none} spellCheck={false} />
            {value && (
              <Combobox.Clear className="icon-button" aria-label={`${label}: ${none}`}>
                <CloseIcon />
              </Combobox.Clear>
            )}
          </div>
          <Combobox.Portal>
            <Combobox.Positioner sideOffset={4} align="start" className="menu-place picker-place">
              <Combobox.Popup className="menu picker-menu">
                <Combobox.Status className="picker-word">{word}</Combobox.Status>
                <Combobox.List aria-label={label}>
                  {(item: Named) => (
                    <Combobox.Item key={item.id} value={item} className="picker-item">
                      <span className="picker-name">{item.name}</span>
                      <code className="picker-id">{item.id}</code>
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

interface Answer {
  found: Named[];
  word: string;
}

function useFound(names: Names, open: boolean, typed: string): Answer {
  const { search } = names;
  const [answer, setAnswer] = useState<Answer>({ found: [], word: 'Searching…' });
  useEffect(() => {
    if (!open) return;
    let isOld = false;
    const timer = setTimeout(
      async () => {
        try {
          const found = await search(typed);
          const word = found.length === 0 ? 'None has this in its name.' : wordOf(typed);
          if (!isOld) setAnswer({ found, word });
        } catch (error) {
          if (!isOld) setAnswer({ found: [], word: asProblem(error).message });
        }
      },
      typed ? PAUSE_MS : 0,
    );
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [open, typed, search]);
  return answer;
}

function wordOf(typed: string): string {
  return typed ? 'With this in the name, newest first' : 'The newest; type part of a name';
}
