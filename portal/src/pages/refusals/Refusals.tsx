/** Why was a call refused, and what to do about it? */
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { usePages } from '../../../../console/src/api/use-pages.ts';
import { useFilters } from '../../../../console/src/app/search-params.ts';
import { FilterSelect } from '../../../../console/src/ui/forms/Filters.tsx';
import { SpanFilter } from '../../../../console/src/ui/forms/SpanFilter.tsx';
import { ListPage } from '../../../../console/src/ui/lists/ListPage.tsx';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { words as shared } from '../../../../console/src/words/words.ts';
import { refusalFilters } from '../../app/routes.ts';
import { useView } from '../../app/view.tsx';
import { Stack } from '../../shell/Stack.tsx';
import { words } from '../../words/words.ts';
import { keyName } from '../keys/key-name.ts';
import { ByCode } from './ByCode.tsx';
import { RefusalList } from './RefusalList.tsx';

const POLL_MS = 5_000;

/** The code as the caller got it comes first. */
const codes = Object.fromEntries(
  Object.entries(shared.calls.codes).map(([code, inWords]) => [code, `${code} (${inWords})`]),
);

export default function Refusals() {
  const { queries } = useView();
  const filter = useFilters(refusalFilters);
  const { filters, of, change } = filter;
  const { code, ...others } = filters;
  const list = usePages(queries.refusals(filters), POLL_MS);
  const counted = useLiveQuery(queries.refusalCodes(others), POLL_MS);
  const keys = useLiveQuery(queries.keys()).data?.items ?? [];
  return (
    <ListPage
      title={words.refusals.title}
      about={words.refusals.about}
      list={list}
      isLive
      filter={filter}
      fields={
        <>
          <FilterSelect label={words.refusals.code} options={codes} {...of('code')} />
          <FilterSelect
            label={words.refusals.key}
            options={Object.fromEntries(keys.map((key) => [key.key_id, keyName(key)]))}
            {...of('key_id')}
          />
          <SpanFilter {...filter} />
        </>
      }
    >
      {(items) => (
        <Stack>
          {counted.data && counted.data.items.length > 0 && (
            <ByCode codes={counted.data} shown={code} onShow={(next) => change({ code: next })} />
          )}
          {items.length === 0 ? (
            <Empty title={filter.isFiltered ? words.refusals.noneMatches : words.refusals.none}>
              {!filter.isFiltered && words.refusals.noneAdvice}
            </Empty>
          ) : (
            <RefusalList refusals={items} keys={keys} />
          )}
        </Stack>
      )}
    </ListPage>
  );
}
