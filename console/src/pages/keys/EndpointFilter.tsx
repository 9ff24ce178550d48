/** Which of a key's endpoints are listed. Nothing is asked of the server, so the list follows each letter. */
import { ChipRow, Chips } from '../../ui/forms/Chips.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { inDigits } from '../../ui/text/numbers.ts';
import styles from './EndpointFilter.module.css';
import {
  type EndpointFilterValue,
  type ShownEndpoints,
  shownEndpoints,
} from './endpoint-groups.ts';

const labels: Record<ShownEndpoints, string> = {
  changed: 'Changed from default',
  refused: 'With refused calls',
  missing: 'Not granted',
};

interface Props {
  value: EndpointFilterValue;
  onChange(value: EndpointFilterValue): void;
  counts: Record<ShownEndpoints, number>;
}

export function EndpointFilter({ value, onChange, counts }: Props) {
  return (
    <search className={styles.filter} aria-label="Filter endpoints">
      <TextField
        label="Find an endpoint"
        fieldClass={styles.text}
        placeholder="part of the path or area"
        type="search"
        autoComplete="off"
        spellCheck={false}
        value={value.text}
        onChange={(text) => onChange({ ...value, text })}
      />
      <ChipRow label="Only">
        <Chips
          options={shownEndpoints.map((shown) => ({
            value: shown,
            label: `${labels[shown]} (${inDigits(counts[shown])})`,
          }))}
          value={value.shown}
          onChange={(shown) => onChange({ ...value, shown: shown || undefined })}
        />
      </ChipRow>
    </search>
  );
}
