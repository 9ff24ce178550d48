/** Every change: when, who, what, before and after. */
import { csvOf } from '../../api/client.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { auditFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { Button } from '../../ui/forms/Button.tsx';
import { FilterSelect, FilterText } from '../../ui/forms/Filters.tsx';
import { SpanFilter } from '../../ui/forms/SpanFilter.tsx';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { useSorting } from '../../ui/lists/sorting.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { AuditList } from '../../widgets/AuditList.tsx';
import { actionTitles } from '../../widgets/audit-words.ts';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { Picker } from '../../widgets/Picker.tsx';
import { Total } from '../../widgets/Total.tsx';

const POLL_MS = 10_000;

export default function Audit() {
  const { environment, queries } = useEnvironment();
  const filter = useFilters(auditFilters);
  const { filters, of, isFiltered } = filter;
  const sorting = useSorting(['-at', 'at']);
  const query = { ...filters, sort: sorting.sort };
  const entries = usePages(queries.audit(query), POLL_MS);
  return (
    <ListPage
      title="Audit"
      about={
        <>
          <Total source={queries.auditCount(filters)} what="change" />. Every change in this
          environment and who made it. Secrets are never recorded.
        </>
      }
      actions={
        <>
          <Button onClick={() => sorting.turn('at')}>
            {sorting.isAscending('at') ? 'Newest first' : 'Oldest first'}
          </Button>
          <DownloadCsv href={csvOf('listAudit', { environment }, query)} />
        </>
      }
      list={entries}
      isLive
      sorting={sorting}
      filter={filter}
      fields={
        <>
          <FilterText label="By" hint="a name" {...of('actor')} />
          <FilterSelect label="Action" options={actionTitles} {...of('action')} />
          <Picker label="About" none="anything" kind="records" {...of('subject')} />
          <SpanFilter {...filter} />
        </>
      }
    >
      {(shown) =>
        shown.length === 0 ? (
          <NoChange isFiltered={isFiltered} />
        ) : (
          <div className={sectionStyles.panel}>
            <AuditList entries={shown} />
          </div>
        )
      }
    </ListPage>
  );
}

function NoChange({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No change matches these filters.">
        Enter the whole name of an actor and the whole id of a subject.
      </Empty>
    );
  }
  return <Empty title="Nothing has changed yet.">The first change will be listed here.</Empty>;
}
