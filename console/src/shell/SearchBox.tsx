/** One box that finds anything: an order id, a partner, a key, a midoffice, a delivery, a request id. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { Found } from '../api/types.ts';
import { useDebounced } from '../api/use-debounced.ts';
import { useEarlyEnter } from '../api/use-early-enter.ts';
import { problemOf } from '../api/use-live-query.ts';
import { useEnvironment } from '../app/environment.tsx';
import { SearchIcon } from '../ui/text/icons.tsx';
import styles from './SearchBox.module.css';
import { isSearchKey, isShortcut } from './use-shortcuts.ts';

const PAUSE_MS = 180;

export function SearchBox() {
  const { environment } = useEnvironment();
  const open = useOpenRecord();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  useSlashKey(input);
  const { found, isSearching, status } = useSearchResult(text.trim());
  const enter = useEarlyEnter(isSearching, () => found[0] && go(found[0]));
  const shown = isOpen && text.trim() !== '';
  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, active]);

  function go(item: Found) {
    enter.forget();
    setOpen(false);
    setText('');
    input.current?.blur();
    open(item);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') {
      enter.forget();
      setOpen(false);
      input.current?.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (found.length > 0) setActive((active + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      const item = found[active];
      if (item) go(item);
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
        aria-label={`Search ${environment}`}
        aria-expanded={shown && found.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={shown && found[active] ? `${listId}-${active}` : undefined}
        placeholder="Order, partner, key, midoffice, request id…"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          enter.forget();
          setText(event.target.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          enter.forget();
          setOpen(false);
        }}
        onKeyDown={onKeyDown}
      />
      <span className={styles.key} aria-hidden="true">
        /
      </span>
      <div className={styles.answer} hidden={!shown}>
        <div id={listId} role="listbox" aria-label="Results" className={styles.results}>
          {found.map((item, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the box.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys.
            <div
              key={`${item.kind}-${item.id}`}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              className={styles.item}
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setActive(index)}
              onClick={() => go(item)}
            >
              <span className={styles.kind}>{item.kind}</span>
              <span className={styles.title}>{item.title}</span>
              <span className={styles.detail}>{item.detail}</span>
            </div>
          ))}
        </div>
        <p className={styles.status} role="status">
          {status}
        </p>
      </div>
    </search>
  );
}

interface Result {
  found: Found[];
  /** There are no results for this text yet. */
  isSearching: boolean;
  status: string;
}

/** The results for this text; none while they are still those of an earlier text. */
function useSearchResult(text: string): Result {
  const { queries, environment } = useEnvironment();
  const asked = useDebounced(text, PAUSE_MS);
  const query = useQuery({ ...queries.search(asked), enabled: asked !== '' });
  const problem = problemOf(query);
  if (text === '') return { found: [], isSearching: false, status: '' };
  if (asked !== text) return { found: [], isSearching: true, status: 'Searching…' };
  if (problem) return { found: [], isSearching: false, status: problem.message };
  if (!query.data) return { found: [], isSearching: true, status: 'Searching…' };
  const found = query.data.items;
  const status =
    found.length === 0
      ? `Nothing in ${environment} has this id or name.`
      : `${found.length} found · ↑ ↓ to choose, Enter to open`;
  return { found, isSearching: false, status };
}

function useOpenRecord(): (item: Found) => void {
  const { links } = useEnvironment();
  const navigate = useNavigate();
  return ({ kind, id }) => void navigate(links[kind](id));
}

/** "/" moves the focus to the search box unless someone is typing; Ctrl-K or ⌘K does so anywhere but in a dialog. */
function useSlashKey(input: RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    function onKey(event: globalThis.KeyboardEvent) {
      const isSlash = event.key === '/' && isShortcut(event);
      if (!isSlash && !isSearchKey(event)) return;
      event.preventDefault();
      input.current?.focus();
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [input]);
}
