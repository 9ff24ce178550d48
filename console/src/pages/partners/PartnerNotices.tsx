/** What the partner was told lately, and whether its contacts got the mail. */
import type { Notice } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { inChosenZone } from '../../ui/text/times.ts';
import { EventRow } from '../../widgets/AuditList.tsx';
import { mailInWords } from './mail-in-words.ts';

const POLL_MS = 15_000;

export function PartnerNotices({ partnerId }: { partnerId: string }) {
  const { queries } = useEnvironment();
  const list = usePages(queries.notices(partnerId), POLL_MS);
  return (
    <Section title="Notices to the partner">
      <Loaded query={list}>
        {(items) =>
          items.length === 0 ? (
            <p>None yet.</p>
          ) : (
            <ul className={rowsStyles.rows}>
              {items.map((notice) => (
                <NoticeRow key={notice.id} notice={notice} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton query={list} />
    </Section>
  );
}

function NoticeRow({ notice: { at, subject, text, mails } }: { notice: Notice }) {
  return (
    <EventRow at={at}>
      <p>
        <strong>{subject}</strong>
      </p>
      <p>{inChosenZone(text)}</p>
      <p className={rowsStyles.note}>
        {mails.length === 0 ? 'Mailed to nobody.' : mails.map(mailInWords).join(' ')}
      </p>
    </EventRow>
  );
}
