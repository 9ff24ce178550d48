/** Filters of a list. They are in the address, so that a list can be sent to a colleague. */
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { classes } from '../text/classes.ts';
import { isoFromInput, localInput } from '../text/times.ts';
import { Button } from './Button.tsx';
import { Field } from './Field.tsx';
import styles from './Filters.module.css';

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
    <search className={classes(styles.filters, !unfolded && styles.folded)} aria-label="Filters">
      {children}
      <Button
        className={styles.fold}
        aria-expanded={unfolded}
        onClick={() => setUnfolded(!unfolded)}
      >
        {unfolded ? 'Fewer filters' : 'More filters'}
      </Button>
      {filtered && (
        <Button kind="quiet" onClick={onClear}>
          Clear all
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

/** Filters once the typing pauses. */
export function FilterText({ label, hint, value = '', onChange }: FilterProps & { hint?: string }) {
  const [text, setText] = useState(value);
  const [applied, setApplied] = useState(value);
  const apply = useEffectEvent(() => {
    if (text.trim() === applied) return;
    setApplied(text.trim());
    onChange(text.trim());
  });
  // A change from elsewhere ("Clear all", the back button) wins; our own arrives later than the next
  // letter and must not take it away.
  const follow = useEffectEvent(() => {
    if (value === applied) return;
    setText(value);
    setApplied(value);
  });
  useEffect(() => follow(), [value]);
  useEffect(() => {
    const timer = setTimeout(() => apply(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Field label={label}>
      {(props) => (
        <input
          {...props}
          value={text}
          placeholder={hint}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
        />
      )}
    </Field>
  );
}

type Options = readonly (readonly [value: string, title: string])[];

export function FilterSelect({
  label,
  value = '',
  options,
  onChange,
}: FilterProps & { options: Options }) {
  return (
    <Field label={label}>
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.target.value)}>
          <option value="">Any</option>
          {value && !options.some(([one]) => one === value) && (
            <option value={value}>{value}</option>
          )}
          {options.map(([one, title]) => (
            <option key={one} value={one}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A time in the viewer's zone; the address has it in UTC. */
export function FilterTime({ label, value, onChange }: FilterProps) {
  return (
    <Field label={label}>
      {(props) => (
        <input
          {...props}
          type="datetime-local"
          value={localInput(value)}
          onChange={(event) => onChange(isoFromInput(event.target.value) ?? '')}
        />
      )}
    </Field>
  );
}
