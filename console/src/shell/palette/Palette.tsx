/**
 * The search box of every page: the pages, the actions of the page at hand, records, and the documentation. What the
 * server finds comes in below what is known here, and the chosen entry stays chosen. Enter waits for the server, unless
 * an entry was chosen by hand.
 */
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useEarlyEnter } from '../../api/use-early-enter.ts';
import { SearchIcon } from '../../ui/text/icons.tsx';
import { words } from '../../words/words.ts';
import { Keys } from '../Keys.tsx';
import type { Place } from '../Navigation.tsx';
import { type Entry, fits, type Group } from './entries.ts';
import styles from './Palette.module.css';
import { pageActions } from './page-actions.ts';
import { useDocs } from './use-docs.ts';

export function focusSearch(): void {
  document.querySelector<HTMLInputElement>('search input')?.select();
}

interface Props {
  label: string;
  placeholder: string;
  text: string;
  onText(text: string): void;
  places: readonly Place[];
  /** What was found for the text. */
  found: readonly Group[];
  /** Whether the first group is still to come. */
  isSearching: boolean;
  status: string;
}

export function Palette(props: Props) {
  const { label, placeholder, text, onText, isSearching, status } = props;
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const groups = useGroups(props, isOpen);
  const entries = groups.flatMap((group) => group.entries);
  // Without a text, Enter must not do whatever happens to be first.
  const first = text.trim() === '' || isSearching ? undefined : entries[0];
  const active = entries.find(({ id }) => id === chosen) ?? first;
  const idOf = (entry: Entry) => `${listId}-${entries.indexOf(entry)}`;
  const activeId = isOpen && active ? idOf(active) : undefined;
  const enter = useEarlyEnter(isSearching, () => active && open(active));
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  function close() {
    enter.forget();
    setOpen(false);
    setChosen(undefined);
  }
  function open(entry: Entry) {
    onText('');
    input.current?.blur();
    entry.open();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') {
      input.current?.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const at = active ? entries.indexOf(active) : step === 1 ? -1 : 0;
      setChosen(entries.at((at + step) % entries.length)?.id);
    } else if (event.key === 'Enter') {
      if (active) open(active);
      else if (isSearching) enter.remember();
    }
  }

  return (
    <search className={styles.search}>
      <SearchIcon />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={label}
        aria-expanded={isOpen && entries.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={activeId}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          close();
          setOpen(true);
          onText(event.target.value);
        }}
        onFocus={() => setOpen(true)}
        onBlur={close}
        onKeyDown={onKeyDown}
      />
      <span className={styles.key} aria-hidden="true">
        /
      </span>
      <div className={styles.answer} hidden={!isOpen}>
        <div id={listId} role="listbox" aria-label={words.palette.list} className={styles.results}>
          {groups.map((group) => (
            // biome-ignore lint/a11y/useSemanticElements: a group of options has no element.
            <div key={group.title} role="group" aria-label={group.title}>
              <p className={styles.heading} aria-hidden="true">
                {group.title}
              </p>
              {group.entries.map((entry) => (
                // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box.
                // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys.
                <div
                  key={entry.id}
                  id={idOf(entry)}
                  role="option"
                  aria-selected={entry === active}
                  className={styles.item}
                  onMouseDown={(event) => event.preventDefault()}
                  onMouseMove={() => setChosen(entry.id)}
                  onClick={() => open(entry)}
                >
                  <span className={styles.title}>{entry.title}</span>
                  {entry.keys && (
                    <span className={styles.side} aria-hidden="true">
                      <Keys keys={entry.keys} />
                    </span>
                  )}
                  {entry.kind && <span className={styles.side}>{entry.kind}</span>}
                  {entry.detail && <span className={styles.detail}>{entry.detail}</span>}
                </div>
              ))}
            </div>
          ))}
        </div>
        <p className={styles.status} role="status">
          {status}
          {status !== '' && entries.length > 0 && ' · '}
          {entries.length > 0 && words.palette.hint}
        </p>
      </div>
    </search>
  );
}

/** Those with an entry. */
function useGroups({ text, places, found }: Props, isOpen: boolean): Group[] {
  const navigate = useNavigate();
  const typed = text.trim();
  const docs = useDocs(typed, isOpen);
  const actions = isOpen ? pageActions() : [];
  const pages = places.map(({ title, letter, link }) => ({
    id: `page/${title}`,
    title,
    keys: ['g', letter],
    open: () => void navigate(link),
  }));
  const fitting = (entries: readonly Entry[]) => entries.filter(({ title }) => fits(typed, title));
  const { titles } = words.palette;
  const groups = [
    { title: titles.actions, entries: fitting(actions) },
    { title: titles.pages, entries: fitting(pages) },
    ...found,
    { title: titles.docs, entries: docs },
  ];
  return groups.filter(({ entries }) => entries.length > 0);
}
