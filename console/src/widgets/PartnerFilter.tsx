import type { Filters } from '../app/search-params.ts';
import { Picker } from './Picker.tsx';

/** Narrows a list to the records of one partner. */
export function PartnerFilter({
  filters,
  change,
}: Pick<Filters<'partner_id'>, 'filters' | 'change'>) {
  return (
    <Picker
      label="Partner"
      none="Any"
      kind="partners"
      value={filters.partner_id ?? ''}
      onChange={(partner_id) => change({ partner_id })}
    />
  );
}
