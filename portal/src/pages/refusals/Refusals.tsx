/** Why was a call refused, and what to do about it? */
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { usePages } from '../../../../console/src/api/use-pages.ts';
import { useFilters } from '../../../../console/src/app/search-params.ts';
import { Field } from '../../../../console/src/ui/forms/Field.tsx';
import { FilterText } from '../../../../console/src/ui/forms/Filters.tsx';
import { SpanFilter } from '../../../../console/src/ui/forms/SpanFilter.tsx';
import { ListPage } from '../../../../console/src/ui/lists/ListPage.tsx';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { refusalFilters } from '../../app/routes.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { ByCode } from './ByCode.tsx';
import { RefusalTable } from './RefusalTable.tsx';

const POLL_MS = 5_000;

export default function Refusals() {
  const { queries } = useView();
  const filter = useFilters(refusalFilters);
  const { filters, of, change } = filter;
  const list = usePages(queries.refusals(filters), POLL_MS);
  const keys = useLiveQuery(queries.keys());
  return (
    <ListPage
      title={words.refusals.title}
      about={words.refusals.about}
      list={list}
      isLive
      filter={filter}
      fields={
        <>
          <FilterText label={words.refusals.code} {...of('code')} />
          <Field label={words.refusals.key}>
            {(props) => (
              <select
                {...props}
                value={filters.key_id ?? ''}
                onChange={(event) => change({ key_id: event.target.value })}
              >
                <option value="">{words.refusals.allCodes}</option>
                {keys.data?.items.map(({ key_id, label }) => (
                  <option key={key_id} value={key_id}>
                    {label ? `${label} (${key_id})` : key_id}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <SpanFilter {...filter} />
        </>
      }
    >
      {(items) =>
        items.length === 0 ? (
          <Empty title={words.refusals.none}>{words.refusals.noneAdvice}</Empty>
        ) : (
          <>
            <ByCode refusals={items} shown={filters.code} onShow={(code) => change({ code })} />
            <RefusalTable refusals={items} keys={keys.data?.items ?? []} />
          </>
        )
      }
    </ListPage>
  );
}
