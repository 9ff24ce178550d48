import type { deliveryFilters } from '../../app/routes.ts';
import type { Filters } from '../../app/search-params.ts';
import { ChipRow, ChipSelect, Chips } from '../../ui/forms/Chips.tsx';
import { commonFailures, otherFailures, statusClasses } from '../../widgets/failure-words.ts';

type Chosen = Pick<Filters<(typeof deliveryFilters)[number]>, 'filters' | 'change'>;

/** Narrows the list by how the last attempt ended. A failure without an answer has no status, so one excludes the other. */
export function ResultFilter({ filters, change }: Chosen) {
  const byFailure = {
    value: filters.failure_code,
    onChange: (failure_code: string) => change({ failure_code, status_class: '' }),
  };
  return (
    <ChipRow label="Last attempt">
      <Chips
        options={statusClasses}
        value={filters.status_class}
        onChange={(status_class) => change({ status_class, failure_code: '' })}
      />
      <Chips options={commonFailures} {...byFailure} />
      <ChipSelect label="Other failure" options={otherFailures} {...byFailure} />
    </ChipRow>
  );
}
