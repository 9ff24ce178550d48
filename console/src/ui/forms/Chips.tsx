/** A row of filters that are on or off. At most one of a group is on. */
import type { ReactNode } from 'react';
import styles from './Chips.module.css';

export function ChipRow({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a row that scrolls.
    <div className={styles.row} role="group" aria-label={label}>
      <span className={styles.label} aria-hidden="true">
        {label}
      </span>
      {children}
    </div>
  );
}

interface Props<Value> {
  options: readonly { value: Value; label: string }[];
  value: string | undefined;
  /** An empty text if the chip that was on is turned off. */
  onChange(value: Value | ''): void;
}

export function Chips<Value extends string>({ options, value, onChange }: Props<Value>) {
  return options.map((option) => (
    <button
      key={option.value}
      type="button"
      className={styles.chip}
      aria-pressed={option.value === value}
      onClick={() => onChange(option.value === value ? '' : option.value)}
    >
      {option.label}
    </button>
  ));
}

/** For the options that are too rare for a chip of their own. */
export function ChipSelect<Value extends string>({
  label,
  options,
  value,
  onChange,
}: Props<Value> & { label: string }) {
  const isOn = options.some((option) => option.value === value);
  return (
    <select
      className={styles.chip}
      aria-label={label}
      data-on={isOn || undefined}
      value={isOn ? value : ''}
      onChange={(event) => onChange(event.target.value as Value | '')}
    >
      <option value="">{label}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
