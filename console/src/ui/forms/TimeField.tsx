/**
 * A date and a clock time of 24 hours, in the chosen zone, which the field names. The browser's own field for both has
 * AM and PM wherever the browser's language has them.
 */
import { type ReactNode, useEffect, useEffectEvent, useId, useState } from 'react';
import { words } from '../../words/words.ts';
import { useUnapplied } from '../lists/unapplied.ts';
import { classes } from '../text/classes.ts';
import textStyles from '../text/text.module.css';
import { clockFrom } from '../text/time-input.ts';
import { zoneName } from '../text/zone.ts';
import fieldStyles from './Field.module.css';
import styles from './TimeField.module.css';

interface Props {
  label: string;
  hint?: ReactNode;
  error?: string | undefined;
  /** "2026-01-31T13:00"; empty if no time is given. */
  value: string;
  onChange(value: string): void;
  /** The clock time of a date that was just chosen. */
  startsAt?: string;
  /** Where a label beside it names the zone. */
  withoutZone?: boolean;
}

export function TimeField(props: Props) {
  const { label, hint, error, value, onChange, startsAt = '00:00', withoutZone = false } = props;
  const id = useId();
  const [date = '', clock = ''] = value.split('T');
  const [typed, setTyped] = useState(clock);
  const follow = useEffectEvent(() => setTyped(clock));
  useEffect(() => follow(), [value]);
  const isUnapplied = typed !== clock;
  const isWrong = typed !== '' && clockFrom(typed) === undefined;
  useUnapplied(isUnapplied);

  function apply(text: string) {
    const next = clockFrom(text) ?? clock;
    setTyped(next);
    if (date && next !== clock) onChange(`${date}T${next}`);
  }
  const described = `${id}-hint${error ? ` ${id}-error` : ''}`;
  return (
    <fieldset className={classes(fieldStyles.field, styles.field, error && fieldStyles.wrong)}>
      <legend>{label}</legend>
      <div className={styles.parts}>
        <input
          type="date"
          aria-label={words.times.date(label)}
          aria-describedby={described}
          aria-invalid={error ? true : undefined}
          value={date}
          onChange={({ target }) =>
            onChange(target.value && `${target.value}T${clockFrom(typed) ?? startsAt}`)
          }
        />
        <input
          className={styles.clock}
          aria-label={words.times.clock(label)}
          aria-describedby={described}
          aria-invalid={isWrong ? true : undefined}
          inputMode="numeric"
          autoComplete="off"
          placeholder={words.times.clockHint}
          maxLength={5}
          disabled={!date}
          value={typed}
          onChange={({ target }) =>
            /^\d\d:\d\d$/.test(target.value) ? apply(target.value) : setTyped(target.value)
          }
          onBlur={() => apply(typed)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !isUnapplied) return;
            event.preventDefault();
            apply(typed);
          }}
        />
      </div>
      {error && (
        <p className={fieldStyles.error} id={`${id}-error`} role="alert">
          {error}
        </p>
      )}
      <p
        className={withoutZone && !hint ? textStyles.visuallyHidden : fieldStyles.hint}
        id={`${id}-hint`}
      >
        {words.times.zone(zoneName())}
        {hint && <> {hint}</>}
      </p>
    </fieldset>
  );
}
