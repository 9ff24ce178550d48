/** Changes, newest first: who did what to which record, and on request the difference. */
import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { linkToSubject } from '../app/links.ts';
import rowsStyles from '../ui/lists/Rows.module.css';
import { Ago } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import styles from './AuditList.module.css';
import { actionInWords, differences, nameOf } from './audit-words.ts';
import { useName } from './use-name.ts';

interface Props {
  entries: AuditEntry[];
  /** Without the differences. */
  brief?: boolean;
}

export function AuditList({ entries, brief = false }: Props) {
  return (
    <ul className={rowsStyles.rows}>
      {entries.map((entry) => (
        <li key={entry.id} className={`${rowsStyles.row} ${styles.entry}`}>
          <div className={rowsStyles.main}>
            <p>
              <Actor actor={entry.actor} /> {actionInWords(entry.action)} <Subject entry={entry} />
            </p>
            {!brief && <Diff entry={entry} />}
          </div>
          <div className={`${rowsStyles.side} ${rowsStyles.note}`}>
            <Ago at={entry.at} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Only the name. The id of the token is in the link and shows on hover. */
function Actor({ actor }: { actor: string }) {
  const { links } = useEnvironment();
  return (
    <Link
      className={`${textStyles.strong} ${textStyles.quiet}`}
      {...links.audit({ actor })}
      title={actor}
    >
      {nameOf(actor)}
    </Link>
  );
}

function Subject({ entry: { subject, before, after } }: { entry: AuditEntry }) {
  const { links } = useEnvironment();
  const written = nameIn(after) ?? nameIn(before);
  const looked = useName('midoffices', written === undefined ? subject : '');
  const link = linkToSubject(links, subject);
  const text = written ?? looked;
  return <span title={subject}>{link ? <Link {...link}>{text}</Link> : <code>{text}</code>}</span>;
}

function nameIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, label } = value as { name?: unknown; label?: unknown };
  if (typeof name === 'string') return name;
  return typeof label === 'string' ? label : undefined;
}

function Diff({ entry }: { entry: AuditEntry }) {
  const changes = differences(entry.before, entry.after);
  if (changes.length === 0) return null;
  const fields = changes.map((change) => change.field).join(', ');
  return (
    <details className={styles.diff}>
      <summary>{fields}</summary>
      <div className={styles.frame}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ field, before, after }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td className={styles.before}>{before ?? <Nothing />}</td>
                <td className={styles.after}>{after ?? <Nothing />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Nothing() {
  return <span className={styles.nothing}>–</span>;
}
