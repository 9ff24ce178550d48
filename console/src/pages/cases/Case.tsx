/** A case: everything that happened to an order, or around a refused call. For a ticket, and to share with the partner. */
import { Link } from '@tanstack/react-router';
import type { Case as CaseFound, CaseItem } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { linkToSubject } from '../../app/links.ts';
import { caseRoute } from '../../app/routes.ts';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Note } from '../../ui/page/Note.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { CaseTimeline } from '../../widgets/CaseTimeline.tsx';
import { CopyText } from '../../widgets/CopyText.tsx';
import { caseAsText } from '../../widgets/case-text.ts';
import { PartnerLink } from '../../widgets/NameLink.tsx';
import { words } from '../../words/words.ts';

const POLL_MS = 5_000;

export default function Case() {
  const { id } = caseRoute.useParams();
  const { queries } = useEnvironment();
  const query = useLiveQuery(queries.case(id), POLL_MS);
  const found = query.data;
  return (
    <Page
      title={found ? words.cases.title[found.subject.kind](found.subject.id) : `Case ${id}`}
      about={<About partnerId={found?.subject.partner_id} />}
      badges={<LiveMark query={query} />}
      actions={found && <Actions found={found} />}
    >
      <Loaded query={query}>{(data) => <Shown found={data} />}</Loaded>
    </Page>
  );
}

function About({ partnerId }: { partnerId: string | null | undefined }) {
  return (
    <>
      Everything that Bellhop knows of it, and what happened to the partner about that time.
      {partnerId && (
        <>
          {' '}
          It is of <PartnerLink id={partnerId} />. The address that you share opens the partner's
          own view after sign-in, without notes and names of persons.
        </>
      )}
    </>
  );
}

function Actions({ found }: { found: CaseFound }) {
  const { environment, queries } = useEnvironment();
  const { data: portal } = useLiveQuery(queries.portal());
  const { id, partner_id } = found.subject;
  const path = `/${environment}/cases/${encodeURIComponent(id)}`;
  return (
    <>
      <CopyText text={caseAsText(found, `${window.location.origin}${path}`)}>
        {words.cases.copy}
      </CopyText>
      {portal?.url && partner_id !== null && (
        <CopyText text={`${portal.url}${path}`}>Share with the partner</CopyText>
      )}
    </>
  );
}

function Shown({ found }: { found: CaseFound }) {
  const { links } = useEnvironment();
  const { other_cases } = found.subject;
  return (
    <>
      {other_cases.map((other) => (
        <Note key={other}>
          Another partner has an order of this id. <Link {...links.case(other)}>Open its case</Link>
        </Note>
      ))}
      <CaseTimeline found={found} linkOf={(item) => <ItemLink item={item} />} />
    </>
  );
}

function ItemLink({ item: { subject, request_id } }: { item: CaseItem }) {
  const { links } = useEnvironment();
  if (request_id !== null) return <Link {...links.call(request_id)}>{request_id}</Link>;
  const link = subject === null ? undefined : linkToSubject(links, subject);
  return link ? <Link {...link}>{subject}</Link> : null;
}
