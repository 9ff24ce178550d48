/** A limit as people say it: "[20] calls per [1 minute]". */
import fieldStyles from '../ui/forms/Field.module.css';
import { classes } from '../ui/text/classes.ts';
import { lastingOf, windowOf } from '../ui/text/durations.ts';
import { words } from '../words/words.ts';
import styles from './LimitFields.module.css';

/** The numbers as they are typed. */
export interface TypedLimit {
  calls: string;
  seconds: string;
  /** The window is none of the usual ones, so it is typed in seconds. */
  isOwnWindow: boolean;
}

/** In seconds. */
const usualWindows = [1, 10, 60, 3_600, 86_400];
const OWN = 'own';
const said = words.limits.fields;

export function typedLimit(limit: { requests_number: number; seconds_number: number }): TypedLimit {
  return {
    calls: String(limit.requests_number),
    seconds: String(limit.seconds_number),
    isOwnWindow: !usualWindows.includes(limit.seconds_number),
  };
}

/** Undefined unless both are whole numbers from 1. */
export function numbersOf({ calls, seconds }: TypedLimit) {
  if (![calls, seconds].every((text) => /^[1-9]\d*$/.test(text))) return undefined;
  return { requests_number: Number(calls), seconds_number: Number(seconds) };
}

interface Props {
  value: TypedLimit;
  onChange(value: TypedLimit): void;
  /** Where it can be switched off. */
  isLimited?: boolean;
  errors: { calls: string | undefined; seconds: string | undefined };
}

export function LimitFields({ value, onChange, isLimited = true, errors }: Props) {
  const { calls, seconds, isOwnWindow } = value;
  const error = errors.calls ?? errors.seconds;
  return (
    <fieldset className={styles.limit}>
      <legend>{said.limit}</legend>
      <div className={styles.line}>
        <NumberField
          label={said.calls}
          isWrong={errors.calls !== undefined}
          value={calls}
          onChange={(text) => onChange({ ...value, calls: text })}
        />
        <span>{said.callsPer}</span>
        <div className={fieldStyles.field}>
          <select
            aria-label={said.window}
            value={isOwnWindow ? OWN : seconds}
            onChange={({ target }) =>
              onChange(
                target.value === OWN
                  ? { ...value, isOwnWindow: true }
                  : { ...value, isOwnWindow: false, seconds: target.value },
              )
            }
          >
            {usualWindows.map((window) => (
              <option key={window} value={window}>
                {lastingOf(window)}
              </option>
            ))}
            <option value={OWN}>{said.otherWindow}</option>
          </select>
        </div>
        {isOwnWindow && (
          <>
            <NumberField
              label={said.seconds}
              isWrong={errors.seconds !== undefined}
              value={seconds}
              onChange={(text) => onChange({ ...value, seconds: text })}
            />
            <span>{said.ofSeconds}</span>
          </>
        )}
      </div>
      {error && (
        <p className={fieldStyles.error} role="alert">
          {error}
        </p>
      )}
      <p className={fieldStyles.hint} aria-live="polite">
        {meaningOf(value, isLimited)}
      </p>
    </fieldset>
  );
}

interface NumberProps {
  label: string;
  isWrong: boolean;
  value: string;
  onChange(text: string): void;
}

function NumberField({ label, isWrong, value, onChange }: NumberProps) {
  return (
    <div className={classes(fieldStyles.field, styles.number, isWrong && fieldStyles.wrong)}>
      <input
        aria-label={label}
        aria-invalid={isWrong ? true : undefined}
        inputMode="numeric"
        autoComplete="off"
        value={value}
        onChange={({ target }) => onChange(target.value.trim())}
      />
    </div>
  );
}

function meaningOf(value: TypedLimit, isLimited: boolean): string {
  const numbers = numbersOf(value);
  if (!numbers) return said.wrong;
  if (!isLimited) return said.notCounted;
  const { requests_number, seconds_number } = numbers;
  return said.meaning(requests_number, windowOf(seconds_number));
}
