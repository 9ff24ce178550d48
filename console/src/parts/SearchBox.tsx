/** One box that finds anything: an order id, a partner, a key, a midoffice, a delivery. */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useDesk } from '../desk.tsx';
import type { Found } from '../model.ts';
import type { Places } from '../places.ts';
import { asProblem } from '../problem.ts';
import { navigate } from '../router.tsx';
import { SearchIcon } from './icons.tsx';

const PAUSE_MS = 180;

type Answer = { found: Found[] } | { failed: string } | undefined;

export function SearchBox() {
  const { api, places, environment } = useDesk();
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [answer, setAnswer] = useState<Answer>();
  const [active, setActive] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  useSlashKey(() => input.current?.focus());

  useEffect(() => {
    const q = text.trim();
    setAnswer(undefined);
    setActive(0);
    if (!q) return;
    const stop = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { items } = await api.search(q, stop.signal);
        setAnswer({ found: items });
      } catch (error) {
        if (!stop.signal.aborted) setAnswer({ failed: asProblem(error).message });
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, api]);

  const found = answer && 'found' in answer ? answer.found : [];
  const shown = open && text.trim() !== '';

  function go(item: Found) {
    setOpen(false);
    setText('');
    input.current?.blur();
    navigate(placeOf(places, item));
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
    <search className="search">
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
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <span className="search-key" aria-hidden="true">
        /
      </span>
      <div className="search-answer" hidden={!shown}>
        <div id={listId} role="listbox" aria-label="Found">
          {found.map((item, index) => (
            // biome-ignore lint/a11y/useFocusableInteractive: as above.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys.
            <div
              key={`${item.kind}-${item.id}`}
              id={`${listId}-${index}`}
              role="option"
              aria-selected={index === active}
              className="search-item"
              onMouseDown={(event) => event.preventDefault()}
              onMouseMove={() => setActive(index)}
              onClick={() => go(item)}
            >
              <span className="search-kind">{item.kind}</span>
              <span className="search-title">{item.title}</span>
              <span className="search-detail">{item.detail}</span>
            </div>
          ))}
        </div>
        <p className="search-word" role="status">
          {wordOf(answer, found.length, environment)}
        </p>
      </div>
    </search>
  );
}

function wordOf(answer: Answer, count: number, environment: string): string {
  if (!answer) return 'Searching…';
  if ('failed' in answer) return answer.failed;
  if (count === 0) return `Nothing in ${environment} has this id or name.`;
  return `${count} found · ↑ ↓ to choose, Enter to open`;
}

function placeOf(places: Places, { kind, id }: Found): string {
  switch (kind) {
    case 'partner':
      return places.partner(id);
    case 'key':
      return places.key(id);
    case 'midoffice':
      return places.midoffice(id);
    case 'delivery':
      return places.delivery(id);
  }
}

function useSlashKey(focus: () => void) {
  useEffect(() => {
    function onKey(event: globalThis.KeyboardEvent) {
      const { target } = event;
      const typing =
        target instanceof HTMLElement &&
        (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
      if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector('[role="dialog"]')) return;
      event.preventDefault();
      focus();
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
