/** What partners were told, newest first, each with what became of its mails. */
import { Link } from '@tanstack/react-router';
import type { Notice } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import rowsStyles from '../ui/lists/Rows.module.css';
import { classes } from '../ui/text/classes.ts';
import { inChosenZone } from '../ui/text/times.ts';
import { EventRow } from './AuditList.tsx';
import { MailBadge } from './badges.tsx';
import styles from './NoticeList.module.css';

interface Props {
  notices: Notice[];
  /** Where notices to many partners are listed. */
  withPartner?: boolean;
}

export function NoticeList({ notices, withPartner = false }: Props) {
  return (
    <ul className={rowsStyles.rows}>
      {notices.map((notice) => (
        <EventRow key={notice.id} at={notice.at}>
          <p>
            <strong>{notice.subject}</strong>
            {withPartner && <ToPartner notice={notice} />}
          </p>
          <p>{inChosenZone(notice.text)}</p>
          <Mails mails={notice.mails} />
        </EventRow>
      ))}
    </ul>
  );
}

function ToPartner({ notice: { partner_id, partner_name } }: { notice: Notice }) {
  const { links } = useEnvironment();
  return (
    <>
      {' · '}
      <Link {...links.partner(partner_id)}>{partner_name}</Link>
    </>
  );
}

function Mails({ mails }: Pick<Notice, 'mails'>) {
  if (mails.length === 0) return <p className={rowsStyles.note}>Mailed to nobody.</p>;
  return (
    <ul className={classes(rowsStyles.note, styles.mails)}>
      {mails.map(({ recipient, state, tries, error }) => (
        <li key={recipient} className={styles.mail}>
          <MailBadge state={state} />
          <span>
            {recipient}
            {state !== 'sent' && tries > 0 && `, tried ${tries}×`}
            {error !== null && `. ${error}`}
          </span>
        </li>
      ))}
    </ul>
  );
}
