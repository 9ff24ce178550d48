/** Changes, newest first: who did what to which thing, and the difference on demand. */
import { actionInWords, differences } from '../audit-words.ts';
import { useDesk } from '../desk.tsx';
import type { AuditEntry } from '../model.ts';
import { useMidofficeNames } from '../names.ts';
import { placeOfSubject } from '../places.ts';
import { Link } from '../router.tsx';
import { Ago } from './Time.tsx';

interface Props {
  entries: AuditEntry[];
  /** Without the differences: a glance at what went on. */
  brief?: boolean;
}

export function AuditList({ entries, brief = false }: Props) {
  const midoffices = useMidofficeNames();
  return (
    <ul className="rows">
      {entries.map((entry) => (
        <li key={entry.id} className="row row-audit">
          <div className="row-main">
            <p className="audit-sentence">
              <Actor actor={entry.actor} /> {actionInWords(entry.action)}{' '}
              <Subject entry={entry} nameOf={midoffices.of} />
            </p>
            {!brief && <Diff entry={entry} />}
          </div>
          <div className="row-side row-note">
            <Ago at={entry.at} />
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The name alone; the token that it stands for is part of the address and on hover. */
function Actor({ actor }: { actor: string }) {
  const { places } = useDesk();
  return (
    <Link className="strong quiet" to={places.audit({ actor })} title={actor}>
      {actor.replace(/ \(tok_\w+\)$/, '')}
    </Link>
  );
}

interface SubjectProps {
  entry: AuditEntry;
  nameOf(id: string): string;
}

function Subject({ entry: { subject, before, after }, nameOf }: SubjectProps) {
  const { places } = useDesk();
  const place = placeOfSubject(places, subject);
  const text = nameIn(after) ?? nameIn(before) ?? nameOf(subject);
  return (
    <span title={subject}>{place ? <Link to={place}>{text}</Link> : <code>{text}</code>}</span>
  );
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
    <details className="diff">
      <summary>{fields}</summary>
      <div className="diff-frame">
        <table className="diff-table">
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
                <td className="diff-before">{before ?? <Nothing />}</td>
                <td className="diff-after">{after ?? <Nothing />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Nothing() {
  return <span className="diff-nothing">–</span>;
}
