/** The time of what a list shows: a named span, or a range of which either end may be open. */
import { useState } from 'react';
import type { Filters } from '../../app/search-params.ts';
import { words } from '../../words/words.ts';
import { isoFromInput, localInput } from '../text/time-input.ts';
import { zoneName } from '../text/zone.ts';
import { FilterSelect } from './Filters.tsx';
import { isNamedSpan } from './spans.ts';
import { TimeField } from './TimeField.tsx';

const RANGE = 'range';
const options = { ...words.times.spans, [RANGE]: words.times.range };

type Props = Pick<Filters<'span' | 'since' | 'until'>, 'given' | 'filters' | 'change'>;

export function SpanFilter({ given, filters, change }: Props) {
  const [isRange, setRange] = useState(false);
  const hasRange = given.since !== undefined || given.until !== undefined;
  const named = isNamedSpan(given.span) ? given.span : undefined;
  const shown = named ?? (isRange || hasRange ? RANGE : '');

  function choose(option: string) {
    setRange(option === RANGE);
    // A range starts as what was shown before, to be narrowed.
    if (option === RANGE) change({ span: '', since: filters.since, until: filters.until });
    else change({ span: option, since: '', until: '' });
  }
  return (
    <>
      <FilterSelect
        label={words.times.span(zoneName())}
        value={shown}
        options={options}
        onChange={choose}
      />
      {shown === RANGE && (
        <>
          <TimeField
            label={words.times.since}
            withoutZone
            value={localInput(given.since)}
            onChange={(text) => change({ since: isoFromInput(text) ?? '' })}
          />
          <TimeField
            label={words.times.until}
            withoutZone
            startsAt="23:59"
            value={localInput(given.until)}
            onChange={(text) => change({ until: isoFromInput(text) ?? '' })}
          />
        </>
      )}
    </>
  );
}
