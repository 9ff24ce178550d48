/** One box that finds anything: an order id, a partner, a key, a midoffice, a delivery. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { Found } from '../api/types.ts';
import { useDebounced } from '../api/use-debounced.ts';
import { problemOf } from '../api/use-live-query.ts';
import { useEnvironment } from '../app/environment.tsx';
import { SearchIcon } from '../ui/text/icons.tsx';
import styles from './SearchBox.module.css';
import { isShortcut } from './use-shortcuts.ts';

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
  const { found, status } = useSearchResult(text.trim());
  const shown = isOpen && text.trim() !== '';
  useEffect(() => {
    document.getElementById(`${listId}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, active]);

  function go(item: Found) {
    setOpen(false);
    setText('');
    input.current?.blur();
    open(item);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') {
      setOpen(false);
      input.current?.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      if (found.length > 0) setActive((active + step + found.length) % found.length);
    } else if (event.key === 'Enter') {
      const item = found[active];
      if (item) go(item);
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
        placeholder="Order, partner, key, midoffice…"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
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

/** The results for this text; empty while the results are still those of an earlier text. */
function useSearchResult(text: string): { found: Found[]; status: string } {
  const { queries, environment } = useEnvironment();
  const asked = useDebounced(text, PAUSE_MS);
  const query = useQuery({ ...queries.search(asked), enabled: asked !== '' });
  const problem = problemOf(query);
  if (asked !== text) return { found: [], status: 'Searching…' };
  if (problem) return { found: [], status: problem.message };
  if (!query.data) return { found: [], status: 'Searching…' };
  const found = query.data.items;
  const status =
    found.length === 0
      ? `Nothing in ${environment} has this id or name.`
      : `${found.length} found · ↑ ↓ to choose, Enter to open`;
  return { found, status };
}

function useOpenRecord(): (item: Found) => void {
  const { links } = useEnvironment();
  const navigate = useNavigate();
  return ({ kind, id }) => void navigate(links[kind](id));
}

/** The key "/" moves the focus to the search box, unless someone is typing. */
function useSlashKey(input: RefObject<HTMLInputElement | null>) {
  useEffect(() => {
    function onKey(event: globalThis.KeyboardEvent) {
      if (event.key !== '/' || !isShortcut(event)) return;
      event.preventDefault();
      input.current?.focus();
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [input]);
}
