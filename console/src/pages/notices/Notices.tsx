/** What partners were told, and whether their contacts got the mail: "we were not told", a mail server that refuses. */

import { csvOf } from '../../api/client.ts';
import type { NoticeKind, UnsentMailState } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { noticeFilters } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { FilterSelect } from '../../ui/forms/Filters.tsx';
import { ListPage } from '../../ui/lists/ListPage.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { NoticeList } from '../../widgets/NoticeList.tsx';
import { PartnerFilter } from '../../widgets/PartnerFilter.tsx';

const POLL_MS = 10_000;

const kinds: Record<NoticeKind, string> = {
  receiver_failing: 'receiver fails',
  receiver_recovered: 'receiver works again',
  deliveries_exhausted: 'webhooks given up',
  limit_reached: 'limit reached',
  key_expires: 'key expires',
  key_rotated: 'API key replaced',
  url_changed: 'URL changed',
  signed_in_by_link: 'sign-in by link',
  limit_answered: 'answer about a limit',
};

const unsent: Record<UnsentMailState, string> = {
  waiting: 'waiting',
  given_up: 'given up',
};

export default function Notices() {
  const { environment, queries } = useEnvironment();
  const filter = useFilters(noticeFilters);
  const { filters, of, isFiltered } = filter;
  const notices = usePages(queries.notices(filters), POLL_MS);
  return (
    <ListPage
      title="Notices"
      about="What partners were told in the last 90 days, in the portal and by mail, and what became of each mail."
      actions={<DownloadCsv href={csvOf('listNotices', { environment }, filters)} />}
      list={notices}
      isLive
      filter={filter}
      fields={
        <>
          <PartnerFilter {...filter} />
          <FilterSelect label="Notice" options={kinds} {...of('kind')} />
          <FilterSelect label="Mail" options={unsent} {...of('mail')} />
        </>
      }
    >
      {(shown) =>
        shown.length === 0 ? (
          <NoNotice isFiltered={isFiltered} />
        ) : (
          <div className={sectionStyles.panel}>
            <NoticeList notices={shown} withPartner />
          </div>
        )
      }
    </ListPage>
  );
}

function NoNotice({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No notice matches these filters." />;
  return (
    <Empty title="No partner was told anything yet.">
      Partners are told when a receiver fails, a limit is reached, a key expires and the like.
    </Empty>
  );
}
