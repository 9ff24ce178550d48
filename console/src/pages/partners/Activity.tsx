/** Everything that happened to the partner, its keys and its midoffice, newest first. */
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { csvOf } from '../../api/client.ts';
import type { ActivityKind, Activity as Happening, TroubledState } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { linkToSubject } from '../../app/links.ts';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { counted } from '../../ui/text/numbers.ts';
import { Actor, AuditRow, EventRow } from '../../widgets/AuditList.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { useName } from '../../widgets/use-name.ts';
import styles from './Activity.module.css';

const POLL_MS = 5_000;

export function Activity({ partnerId }: { partnerId: string }) {
  const { environment, queries } = useEnvironment();
  const csv = csvOf('listActivity', { environment, id: partnerId });
  const list = usePages(queries.activity(partnerId), POLL_MS);
  return (
    <Section title="Activity" aside={<DownloadCsv href={csv} />}>
      <Loaded query={list}>
        {(shown) => (
          <ul className={rowsStyles.rows}>
            {shown.map((one) => {
              const Row = rows[one.kind] ?? ChangeRow;
              return <Row key={one.id} one={one} partnerId={partnerId} />;
            })}
          </ul>
        )}
      </Loaded>
      <MoreButton query={list} />
    </Section>
  );
}

interface RowProps {
  one: Happening;
  partnerId: string;
}

const rows = { change: ChangeRow, note: NoteRow, webhooks: WebhooksRow } satisfies Record<
  ActivityKind,
  ComponentType<RowProps>
>;

function ChangeRow({ one }: RowProps) {
  const entry = {
    ...one,
    actor: one.actor ?? '',
    action: one.action ?? '',
    sentence: one.sentence ?? '',
    subject_name: one.subject_name ?? '',
  };
  return <AuditRow entry={entry} />;
}

function NoteRow({ one: { at, actor, subject, text } }: RowProps) {
  const { links } = useEnvironment();
  const name = useName(subject.startsWith('par_') ? 'partners' : 'midoffices', subject);
  const link = linkToSubject(links, subject);
  return (
    <EventRow at={at}>
      <p>
        <Actor actor={actor ?? ''} /> wrote about {link ? <Link {...link}>{name}</Link> : name}
      </p>
      <p className={styles.text}>{text}</p>
    </EventRow>
  );
}

/** Said of one webhook ("was") or of many ("were"). */
const fates = {
  exhausted: 'not delivered: all attempts failed',
  cancelled: 'cancelled',
  unrouted: 'not sent: the partner had no midoffice',
} satisfies Record<TroubledState, string>;

function WebhooksRow({ one, partnerId }: RowProps) {
  const { links } = useEnvironment();
  const { at, subject, state, count } = one;
  if (state === null) return null;
  return (
    <EventRow at={at}>
      <p>
        {count === 1 ? (
          <>
            <Link {...links.delivery(subject)}>A webhook</Link> was {fates[state]}
          </>
        ) : (
          <>
            <Link {...links.deliveries({ partner_id: partnerId, state })}>
              {counted(count ?? 0, 'webhook')}
            </Link>{' '}
            were {fates[state]}
          </>
        )}
      </p>
    </EventRow>
  );
}
