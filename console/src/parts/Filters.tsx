/** Filters of a list. They live in the address, so that a list can be sent to a colleague. */
import { type ReactNode, useEffect, useState } from 'react';
import { isoFromInput, localInput } from '../times.ts';
import { Button } from './Button.tsx';
import { Field } from './Field.tsx';

const PAUSE_MS = 350;

interface BarProps {
  filtered: boolean;
  onClear(): void;
  children: ReactNode;
}

/** On a phone only the first filter shows until one asks for the others. */
export function FilterBar({ filtered, onClear, children }: BarProps) {
  const [unfolded, setUnfolded] = useState(filtered);
  return (
    <search className={`filters ${unfolded ? '' : 'filters-folded'}`} aria-label="Filters">
      {children}
      <Button
        className="filters-fold"
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

/** Asks once the typing pauses. */
export function FilterText({ label, hint, value = '', onChange }: FilterProps & { hint?: string }) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
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
