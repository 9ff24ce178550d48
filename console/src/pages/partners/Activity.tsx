/** Everything that happened to the partner, its keys and its midoffice, newest first. */
import { areAlike, type Group, inGroups, ordersInWords } from '@bellhop/rules/describe-group';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { csvOf } from '../../api/client.ts';
import type {
  ActivityKind,
  AuditEntry,
  Activity as Happening,
  TroubledState,
} from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { linkToSubject } from '../../app/links.ts';
import { MoreButton } from '../../ui/lists/MoreButton.tsx';
import rowsStyles from '../../ui/lists/Rows.module.css';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { Actor, AuditGroup, EventRow } from '../../widgets/AuditList.tsx';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import { useName } from '../../widgets/use-name.ts';
import { counted } from '../../words/en/counted.ts';
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
            {inGroups(shown, belongTogether).map((group) => {
              const Row = rows[group[0].kind] ?? ChangeRow;
              return <Row key={group[0].id} group={group} partnerId={partnerId} />;
            })}
          </ul>
        )}
      </Loaded>
      <MoreButton query={list} />
    </Section>
  );
}

interface RowProps {
  group: Group<Happening>;
  partnerId: string;
}

function belongTogether(one: Happening, other: Happening): boolean {
  if (one.kind !== other.kind || one.kind === 'note') return false;
  return one.kind === 'webhooks'
    ? one.state === other.state
    : areAlike(entryOf(one), entryOf(other));
}

const rows = { change: ChangeRow, note: NoteRow, webhooks: WebhooksRow } satisfies Record<
  ActivityKind,
  ComponentType<RowProps>
>;

function ChangeRow({ group: [newest, ...others] }: RowProps) {
  return <AuditGroup group={[entryOf(newest), ...others.map(entryOf)]} />;
}

function entryOf(one: Happening): AuditEntry {
  return {
    ...one,
    actor: one.actor ?? '',
    action: one.action ?? '',
    sentence: one.sentence ?? '',
    subject_name: one.subject_name ?? '',
  };
}

function NoteRow({ group: [{ at, actor, subject, text }] }: RowProps) {
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
  exhausted: 'not delivered, as all attempts failed',
  cancelled: 'cancelled',
  unrouted: 'not sent, as the partner had no midoffice',
} satisfies Record<TroubledState, string>;

/** The server has one entry for each hour. */
function WebhooksRow({ group, partnerId }: RowProps) {
  const { links } = useEnvironment();
  const [{ at, subject, state }] = group;
  if (state === null) return null;
  const count = group.reduce((sum, one) => sum + (one.count ?? 0), 0);
  const orders = group.flatMap((one) => one.orders);
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
              {counted(count, 'webhook')}
            </Link>{' '}
            were {fates[state]}
          </>
        )}
        : {ordersInWords(orders, count)}
      </p>
    </EventRow>
  );
}
