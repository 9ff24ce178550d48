/** A partner's portal, as support needs to know it: what its people see first, who is signed in, and what they changed. */
import { verdictOf } from '../../../../../portal/src/pages/home/verdict.ts';
import { csvOf } from '../../../api/client.ts';
import type { Partner } from '../../../api/types.ts';
import { useLiveQuery } from '../../../api/use-live-query.ts';
import { usePages } from '../../../api/use-pages.ts';
import { useEnvironment } from '../../../app/environment.tsx';
import { MoreButton } from '../../../ui/lists/MoreButton.tsx';
import { Empty } from '../../../ui/page/Empty.tsx';
import { Loaded } from '../../../ui/page/Loaded.tsx';
import { Section } from '../../../ui/page/Section.tsx';
import { Verdict } from '../../../ui/page/Verdict.tsx';
import { useNow } from '../../../ui/text/Time.tsx';
import { AuditList } from '../../../widgets/AuditList.tsx';
import { DownloadCsv } from '../../../widgets/DownloadCsv.tsx';
import { PortalAccess } from './PortalAccess.tsx';

/** As often as the portal's own page asks. */
const POLL_MS = 15_000;

export default function PartnerPortal({ partner }: { partner: Partner }) {
  return (
    <>
      {!partner.suspended && <SeenNow partner={partner} />}
      <PortalAccess partner={partner} />
      <Changes partner={partner} />
    </>
  );
}

/** The words are the portal's own. Its links lead to the portal's pages, so here they are only text. */
function SeenNow({ partner }: { partner: Partner }) {
  const { queries } = useEnvironment();
  const query = useLiveQuery(queries.portalNow(partner), POLL_MS);
  const nowMs = useNow();
  return (
    <Section title="What their first page says now">
      <Loaded query={query}>
        {(judged) => {
          const { tone, sentence, advice } = verdictOf(judged, nowMs);
          return (
            <Verdict
              tone={tone}
              sentence={sentence}
              spoken=""
              advice={advice.map(({ link, after }) => ({ key: link, line: `${link} ${after}` }))}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}

/** Signing in is among them, with the address that it came from. */
function Changes({ partner }: { partner: Partner }) {
  const { environment, queries } = useEnvironment();
  const filter = { actor: partner.id };
  const list = usePages(queries.audit(filter), POLL_MS);
  return (
    <Section
      title="What their people did"
      aside={<DownloadCsv href={csvOf('listAudit', { environment }, filter)} />}
    >
      <Loaded query={list}>
        {(entries) =>
          entries.length === 0 ? (
            <Empty title="Nobody of this partner has signed in or changed anything in the portal." />
          ) : (
            <AuditList entries={entries} />
          )
        }
      </Loaded>
      <MoreButton query={list} />
    </Section>
  );
}
