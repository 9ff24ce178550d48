/** What a list of records can be narrowed to, in the words of people. A word of the server without one does not compile. */
import { EXPIRING_DAYS, type ListName, type Only, UNUSED_DAYS } from '@bellhop/rules/lists';
import type { Filters } from '../app/search-params.ts';
import { FilterSelect } from '../ui/forms/Filters.tsx';

const words: { [List in ListName]: Record<Only<List>, string> } = {
  partners: {
    suspended: 'suspended',
    uncertified: 'not certified',
    without_midoffice: 'without a midoffice',
  },
  keys: {
    active: 'active',
    expiring: `expiring within ${EXPIRING_DAYS} days`,
    expired: 'expired',
    unused: `unused for ${UNUSED_DAYS} days`,
    disabled: 'disabled',
    revoked: 'revoked',
  },
  midoffices: {
    failing: 'failing',
    paused: 'paused',
    with_exhausted: 'with exhausted deliveries',
  },
};

interface Props extends Pick<Filters<'only'>, 'of'> {
  list: ListName;
}

export function OnlyFilter({ list, of }: Props) {
  return <FilterSelect label="Status" options={words[list]} {...of('only')} />;
}
