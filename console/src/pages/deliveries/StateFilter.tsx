import type { RemainingDeliveries } from '../../api/types.ts';
import type { Filters } from '../../app/search-params.ts';
import { entriesOf } from '../../entries.ts';
import { FilterSelect } from '../../ui/forms/Filters.tsx';
import { deliveryStates } from '../../widgets/badges.tsx';

/** What is left to do comes first: it is what people look for. */
const left = {
  undelivered: 'not delivered',
  unacknowledged: 'exhausted, open',
} satisfies Record<RemainingDeliveries, string>;

const options = {
  ...left,
  ...Object.fromEntries(entriesOf(deliveryStates).map(([state, { label }]) => [state, label])),
};

/** One choice for two parameters of the address: a state, or what is left to do. */
export function StateFilter({
  filters,
  change,
}: Pick<Filters<'state' | 'only'>, 'filters' | 'change'>) {
  return (
    <FilterSelect
      label="State"
      value={filters.only ?? filters.state}
      options={options}
      onChange={(chosen) =>
        change(chosen in left ? { only: chosen, state: '' } : { state: chosen, only: '' })
      }
    />
  );
}
