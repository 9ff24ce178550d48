/** Every change: when, who, what, before and after. */
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { auditFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { FilterBar, FilterSelect, FilterText, FilterTime } from '../../ui/forms/Filters.tsx';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Page } from '../../ui/page/Page.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { AuditList } from '../../widgets/AuditList.tsx';
import { auditActions } from '../../widgets/audit-words.ts';

const POLL_MS = 10_000;
export default function Audit() {
  const { queries } = useEnvironment();
  const { filters, change, isFiltered, clear } = useFilters(auditFilters);
  const entries = usePages(queries.audit(filters), POLL_MS);
  return (
    <Page
      title="Audit"
      badges={<LiveMark query={entries} />}
      about="Every change in this environment and who made it. Secrets are never recorded."
    >
      <FilterBar filtered={isFiltered} onClear={clear}>
        <FilterText
          label="Actor"
          hint="a name"
          value={filters.actor}
          onChange={(actor) => change({ actor })}
        />
        <FilterSelect
          label="Action"
          value={filters.action}
          options={auditActions.map((action) => [action, action])}
          onChange={(action) => change({ action })}
        />
        <FilterText
          label="Subject"
          hint="an id"
          value={filters.subject}
          onChange={(subject) => change({ subject })}
        />
        <FilterTime label="Since" value={filters.since} onChange={(since) => change({ since })} />
        <FilterTime label="Until" value={filters.until} onChange={(until) => change({ until })} />
      </FilterBar>
      <Loaded query={entries}>
        {(shown) =>
          shown.length === 0 ? (
            <Empty
              title={isFiltered ? 'No change matches these filters.' : 'Nothing has changed yet.'}
            >
              {isFiltered
                ? 'Enter the whole name of an actor and the whole id of a subject.'
                : 'The first change will be listed here.'}
            </Empty>
          ) : (
            <div className={sectionStyles.panel}>
              <AuditList entries={shown} />
            </div>
          )
        }
      </Loaded>
      <MoreButton query={entries} />
    </Page>
  );
}
