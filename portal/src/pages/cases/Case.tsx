/** A case: everything that happened to an order of the partner, or around a refused call. */
import { Link } from '@tanstack/react-router';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { LiveMark } from '../../../../console/src/ui/page/LiveMark.tsx';
import { Loaded } from '../../../../console/src/ui/page/Loaded.tsx';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import { CaseTimeline } from '../../../../console/src/widgets/CaseTimeline.tsx';
import { CopyText } from '../../../../console/src/widgets/CopyText.tsx';
import { caseAsText } from '../../../../console/src/widgets/case-text.ts';
import { words as shared } from '../../../../console/src/words/words.ts';
import type { CaseItem } from '../../api/types.ts';
import { caseRoute } from '../../app/routes.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const POLL_MS = 5_000;

export default function Case() {
  const { id } = caseRoute.useParams();
  const { queries, links } = useView();
  const query = useLiveQuery(queries.case(id), POLL_MS);
  const found = query.data;
  if (query.problem?.code === 'case_not_found') {
    return (
      <Page title={id}>
        <Empty title={words.case.none}>
          {words.case.noneAdvice} <Link {...links.home}>{words.case.findAgain}</Link>
        </Empty>
      </Page>
    );
  }
  return (
    <Page
      title={found ? shared.cases.title[found.subject.kind](found.subject.id) : id}
      about={words.case.about}
      badges={<LiveMark query={query} />}
      actions={
        found && (
          <CopyText text={caseAsText(found, window.location.href)}>{shared.cases.copy}</CopyText>
        )
      }
    >
      <Loaded query={query}>
        {(data) => <CaseTimeline found={data} linkOf={(item) => <ItemLink item={item} />} />}
      </Loaded>
    </Page>
  );
}

function ItemLink({ item: { subject } }: { item: CaseItem }) {
  const { links } = useView();
  if (subject?.startsWith('del_'))
    return <Link {...links.webhook(subject)}>{words.case.webhook}</Link>;
  if (subject && /^\d+$/.test(subject)) return <Link {...links.key(subject)}>{subject}</Link>;
  return null;
}
