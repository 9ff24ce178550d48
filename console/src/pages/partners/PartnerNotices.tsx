/** What the partner was told lately, and whether its contacts got the mail. */
import { Link } from '@tanstack/react-router';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { NoticeList } from '../../widgets/NoticeList.tsx';

const POLL_MS = 15_000;

export function PartnerNotices({ partnerId }: { partnerId: string }) {
  const { queries, links } = useEnvironment();
  const of = { partner_id: partnerId };
  const list = usePages(queries.notices(of), POLL_MS);
  return (
    <Section title="Notices to the partner" aside={<Link {...links.notices(of)}>All notices</Link>}>
      <Loaded query={list}>
        {(items) => (items.length === 0 ? <p>None yet.</p> : <NoticeList notices={items} />)}
      </Loaded>
      <MoreButton query={list} />
    </Section>
  );
}
