/** When something expires: after one of the usual times, at a chosen moment, or never. */
import { lastingOf } from '../text/durations.ts';
import { useNow } from '../text/Time.tsx';
import { isoFromInput, localInput } from '../text/time-input.ts';
import { exactTime } from '../text/times.ts';
import { Choices } from './Choices.tsx';
import fieldStyles from './Field.module.css';
import { TimeField } from './TimeField.tsx';

/** Seconds from now, a moment as people enter it, or neither. */
export type Expiry = { after: number } | { at: string } | 'never';

/** Times that move every second would only distract. */
const REFRESH_MS = 10_000;

interface Props<Given extends Expiry> {
  legend: string;
  /** In seconds. */
  presets: readonly number[];
  /** What else can be chosen. */
  others?: readonly ('at' | 'never')[];
  error?: string | undefined;
  value: Given;
  onChange(value: NoInfer<Given>): void;
}

export function ExpiryField<Given extends Expiry>(props: Props<Given>) {
  const { legend, presets, others = [], error } = props;
  const value: Expiry = props.value;
  const now = useNow(REFRESH_MS);
  // Only what the choices below offer is ever given back.
  const onChange = props.onChange as (value: Expiry) => void;
  const chosen = value === 'never' ? 'never' : 'at' in value ? 'at' : value.after;
  return (
    <Choices
      legend={legend}
      options={[
        ...presets.map((seconds) => ({ value: seconds, label: `In ${lastingOf(seconds)}` })),
        ...(others.includes('at') ? [{ value: 'at' as const, label: 'At a time…' }] : []),
        ...(others.includes('never') ? [{ value: 'never' as const, label: 'Never' }] : []),
      ]}
      value={chosen}
      onChange={(next) => {
        if (next === 'never') onChange('never');
        else if (next === 'at') onChange({ at: localInput(expiresAt(value)) });
        else onChange({ after: next });
      }}
    >
      {value !== 'never' && 'after' in value && (
        <p className={fieldStyles.hint}>
          {exactTime(new Date(now + value.after * 1_000).toISOString())}
        </p>
      )}
      {value !== 'never' && 'at' in value ? (
        <TimeField
          label="Expires at"
          error={error}
          value={value.at}
          onChange={(at) => onChange({ at })}
        />
      ) : (
        error && (
          <p className={fieldStyles.error} role="alert">
            {error}
          </p>
        )
      )}
    </Choices>
  );
}

/** Null if it never expires; undefined if no moment was entered yet. */
export function expiresAt(expiry: Expiry): string | null | undefined {
  if (expiry === 'never') return null;
  if ('at' in expiry) return isoFromInput(expiry.at);
  return new Date(Date.now() + expiry.after * 1_000).toISOString();
}

/** Of something that has one already. */
export function expiryOf(iso: string | null | undefined): Expiry {
  return iso ? { at: localInput(iso) } : 'never';
}
