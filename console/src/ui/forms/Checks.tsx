/** A choice of any number of options, as checkboxes. */
import type { ReactNode } from 'react';
import styles from './Choices.module.css';

interface Props<Value> {
  legend: string;
  options: readonly { value: Value; label: ReactNode; isFixed?: boolean }[];
  value: readonly Value[];
  onChange(value: NoInfer<Value>[]): void;
}

export function Checks<Value extends string>({ legend, options, value, onChange }: Props<Value>) {
  return (
    <fieldset className={styles.choices}>
      <legend>{legend}</legend>
      <div className={styles.list}>
        {options.map((option) => (
          <label key={option.value} className={styles.choice}>
            <input
              type="checkbox"
              checked={value.includes(option.value)}
              disabled={option.isFixed}
              onChange={({ target }) =>
                onChange(
                  target.checked
                    ? [...value, option.value]
                    : value.filter((one) => one !== option.value),
                )
              }
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
