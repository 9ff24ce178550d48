/** Filters of a list. They are in the address, so that a list can be sent to a colleague. */
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import type { Filters } from '../../app/search-params.ts';
import { words } from '../../words/words.ts';
import { useUnapplied } from '../lists/unapplied.ts';
import { classes } from '../text/classes.ts';
import { Button } from './Button.tsx';
import { Field } from './Field.tsx';
import styles from './Filters.module.css';
import { TextField } from './TextField.tsx';

const PAUSE_MS = 350;

interface BarProps {
  filtered: boolean;
  onClear(): void;
  children: ReactNode;
}

/** A phone shows only the first filter until someone asks for the others. */
export function FilterBar({ filtered, onClear, children }: BarProps) {
  const [unfolded, setUnfolded] = useState(filtered);
  return (
    <search
      className={classes(styles.filters, !unfolded && styles.folded)}
      aria-label={words.filters.title}
    >
      {children}
      <Button
        className={styles.fold}
        aria-expanded={unfolded}
        onClick={() => setUnfolded(!unfolded)}
      >
        {unfolded ? words.filters.fewer : words.filters.more}
      </Button>
      {filtered && (
        <Button kind="quiet" onClick={onClear}>
          {words.filters.clear}
        </Button>
      )}
    </search>
  );
}

interface FilterProps {
  label: string;
  value: string | undefined;
  onChange(value: string): void;
}

/** Filters once the typing pauses, or at Enter. Until then, the list is not to be used. */
export function FilterText({ label, hint, value = '', onChange }: FilterProps & { hint?: string }) {
  const [text, setText] = useState(value);
  const [applied, setApplied] = useState(value);
  const apply = useEffectEvent(() => {
    if (text.trim() === applied) return;
    setApplied(text.trim());
    onChange(text.trim());
  });
  // A change from elsewhere ("Clear all", the back button) replaces the text. Our own change arrives
  // after the next letter was typed, and must not remove that letter.
  const follow = useEffectEvent(() => {
    if (value === applied) return;
    setText(value);
    setApplied(value);
  });
  useEffect(() => follow(), [value]);
  useUnapplied(text.trim() !== value);
  useEffect(() => {
    const timer = setTimeout(() => apply(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextField
      label={label}
      value={text}
      placeholder={hint}
      spellCheck={false}
      onChange={setText}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  );
}

/** The options by their value, with what each is called. */
export function FilterSelect({
  label,
  value = '',
  options,
  onChange,
}: FilterProps & { options: Readonly<Record<string, string>> }) {
  return (
    <Field label={label}>
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">{words.filters.any}</option>
          {value && !(value in options) && <option>{value}</option>}
          {Object.entries(options).map(([option, title]) => (
            <option key={option} value={option}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function NameFilter({ of }: Pick<Filters<'name'>, 'of'>) {
  return <FilterText label={words.filters.name} hint={words.filters.nameHint} {...of('name')} />;
}
