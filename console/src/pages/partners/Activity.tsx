/** Everything that happened to the partner, its keys and its midoffice, newest first. */
import { Link } from '@tanstack/react-router';
import type { Activity as Happening } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { linkToSubject } from '../../app/links.ts';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { Actor, AuditRow, EventRow } from '../../widgets/AuditList.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { useName } from '../../widgets/use-name.ts';
import styles from './Activity.module.css';

const POLL_MS = 5_000;

export function Activity({ partnerId }: { partnerId: string }) {
  const { queries } = useEnvironment();
  const list = usePages(queries.activity(partnerId), POLL_MS);
  return (
    <Section title="Activity" aside={<DownloadCsv list={['partners', partnerId, 'activity']} />}>
      <Loaded query={list}>
        {(shown) => (
          <ul className={rowsStyles.rows}>
            {shown.map((one) => (
              <Row key={one.id} one={one} partnerId={partnerId} />
            ))}
          </ul>
        )}
      </Loaded>
      <MoreButton query={list} />
    </Section>
  );
}

function Row({ one, partnerId }: { one: Happening; partnerId: string }) {
  if (one.kind === 'note') return <NoteRow one={one} />;
  if (one.kind === 'webhooks') return <WebhooksRow one={one} partnerId={partnerId} />;
  const { id, at, subject, before, after } = one;
  const entry = {
    id,
    at,
    subject,
    before,
    after,
    actor: one.actor ?? '',
    action: one.action ?? '',
  };
  return <AuditRow entry={entry} />;
}

function NoteRow({ one: { at, actor, subject, text } }: { one: Happening }) {
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

const fates = {
  exhausted: 'was not delivered: all attempts failed',
  cancelled: 'was cancelled',
  unrouted: 'was not sent: the partner had no midoffice',
};
const fatesOfMany = {
  exhausted: 'were not delivered: all attempts failed',
  cancelled: 'were cancelled',
  unrouted: 'were not sent: the partner had no midoffice',
};

function WebhooksRow({ one, partnerId }: { one: Happening; partnerId: string }) {
  const { links } = useEnvironment();
  const { at, subject, state, count } = one;
  if (state === null) return null;
  return (
    <EventRow at={at}>
      <p>
        {count === 1 ? (
          <>
            <Link {...links.delivery(subject)}>A webhook</Link> {fates[state]}
          </>
        ) : (
          <>
            <Link {...links.deliveries({ partner_id: partnerId, state })}>{count} webhooks</Link>{' '}
            {fatesOfMany[state]}
          </>
        )}
      </p>
    </EventRow>
  );
}
