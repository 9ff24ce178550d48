/** Every change: when, who, what, before and after. */
import { auditActions } from '../audit-words.ts';
import { useDesk } from '../desk.tsx';
import { usePages } from '../paged.ts';
import { AuditList } from '../parts/AuditList.tsx';
import { Empty } from '../parts/Empty.tsx';
import { FilterBar, FilterSelect, FilterText, FilterTime } from '../parts/Filters.tsx';
import { LiveMark } from '../parts/LiveMark.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { MoreButton } from '../parts/MoreButton.tsx';
import { Page } from '../parts/Page.tsx';
import { useFilters } from '../router.tsx';

const POLL_MS = 10_000;
const names = ['subject', 'actor', 'action', 'since', 'until'] as const;

export default function Audit() {
  const { api } = useDesk();
  const { filters, change } = useFilters(names);
  const pages = usePages(
    `audit ${JSON.stringify(filters)}`,
    (cursor) => api.audit({ ...filters, cursor }),
    (entry) => entry.id,
    POLL_MS,
  );
  const filtered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Audit"
      badges={<LiveMark reading={pages.first} />}
      about="Every change in this environment, with who made it. Secrets are never part of it."
    >
      <FilterBar
        filtered={filtered}
        onClear={() => change({ subject: '', actor: '', action: '', since: '', until: '' })}
      >
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
      <Loaded reading={pages.first}>
        {() =>
          pages.items?.length === 0 ? (
            <Empty
              title={filtered ? 'No change matches these filters.' : 'Nothing was changed yet.'}
            >
              {filtered
                ? 'An actor is a whole name, a subject a whole id.'
                : 'The first change will be listed here.'}
            </Empty>
          ) : (
            <div className="panel">
              <AuditList entries={pages.items ?? []} />
            </div>
          )
        }
      </Loaded>
      {pages.hasMore && <MoreButton busy={pages.more.busy} onMore={() => void pages.more.run()} />}
    </Page>
  );
}
