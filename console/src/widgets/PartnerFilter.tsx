import type { Filters } from '../app/search-params.ts';
import { Picker } from './Picker.tsx';

/** Narrows a list to the records of one partner. */
export function PartnerFilter({ of }: Pick<Filters<'partner_id'>, 'of'>) {
  return <Picker label="Partner" none="Any" kind="partners" {...of('partner_id')} />;
}
