/** A choice between a few options, as radio buttons. */
import { type ReactNode, useId } from 'react';
import styles from './Choices.module.css';

interface Props<Value> {
  legend: string;
  options: readonly { value: Value; label: ReactNode }[];
  value: Value;
  onChange(value: NoInfer<Value>): void;
  /** One below the other: for labels that are sentences. */
  stacked?: boolean;
  /** What shows below the choices. */
  children?: ReactNode;
}

export function Choices<Value extends string | number>(props: Props<Value>) {
  const { legend, options, value, onChange, stacked = false, children } = props;
  const name = useId();
  return (
    <fieldset className={styles.choices}>
      <legend>{legend}</legend>
      <div className={stacked ? styles.list : styles.row}>
        {options.map((option) => (
          <label key={option.value} className={styles.choice}>
            <input
              type="radio"
              name={name}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
      {children}
    </fieldset>
  );
}
