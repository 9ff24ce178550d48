/** Calls that were refused or failed: "I get 429", "401 since yesterday", "what is request id …?" */
import { csvOf } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { callFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { FilterSelect, FilterText } from '../../ui/forms/Filters.tsx';
import { SpanFilter } from '../../ui/forms/SpanFilter.tsx';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { CallList } from '../../widgets/calls/CallList.tsx';
import { wholeEndpoint } from '../../widgets/calls/core-words.ts';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { PartnerFilter } from '../../widgets/PartnerFilter.tsx';
import { words } from '../../words/words.ts';

const POLL_MS = 5_000;

export default function Calls() {
  const { environment, queries } = useEnvironment();
  const filter = useFilters(callFilters);
  const { filters, of, change, isFiltered } = filter;
  const { key_id, ...query } = filters;
  const calls = usePages(queries.calls(filters), POLL_MS);
  return (
    <ListPage
      title="Calls"
      about="Refused and failed calls of the last days. One line stands for many while a caller is refused all the time. Calls that succeeded are counted in the usage of their key."
      actions={
        <DownloadCsv
          href={
            key_id === undefined
              ? csvOf('listCalls', { environment }, query)
              : csvOf('listKeyCalls', { environment, key_id }, query)
          }
        />
      }
      list={calls}
      isLive
      filter={filter}
      fields={
        <>
          <FilterText label="Request id" hint="X-Request-Id" {...of('request_id')} />
          <FilterSelect label="Answer" options={words.calls.codes} {...of('code')} />
          <FilterText
            label="Endpoint"
            hint="search/hp/"
            value={filters.endpoint}
            onChange={(endpoint) => change({ endpoint: wholeEndpoint(endpoint) })}
          />
          <FilterText label="Address" hint="the caller's" {...of('address')} />
          <FilterText label="Key" hint="a key id" {...of('key_id')} />
          <PartnerFilter {...filter} />
          <SpanFilter {...filter} />
        </>
      }
    >
      {(shown) =>
        shown.length === 0 ? (
          <NoCall isFiltered={isFiltered} />
        ) : (
          <div className={sectionStyles.panel}>
            <CallList calls={shown} withKey />
          </div>
        )
      }
    </ListPage>
  );
}

function NoCall({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <Empty title="No call was refused or failed lately.">
        They show up here about a second after they ended.
      </Empty>
    );
  }
  return (
    <Empty title="No call matches these filters.">
      The call may have succeeded, been made in the other environment or too long ago, or be one of
      many that share a line.
    </Empty>
  );
}
