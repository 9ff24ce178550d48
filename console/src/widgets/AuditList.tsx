/** Changes, newest first: who did what to which record, and on request the difference. */
import { actorName } from '@bellhop/rules/actor-name';
import { areAlike, type Group, groupInWords, inGroups } from '@bellhop/rules/describe-group';
import { fieldInWords, fieldTitle } from '@bellhop/rules/field-names';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AuditEntry } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { linkToSubject } from '../app/links.ts';
import { Button } from '../ui/forms/Button.tsx';
import rowsStyles from '../ui/lists/Rows.module.css';
import { Ago } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { inChosenZone } from '../ui/text/times.ts';
import styles from './AuditList.module.css';
import { differences } from './audit-words.ts';
import { RevertDialog } from './RevertDialog.tsx';

interface Props {
  entries: AuditEntry[];
  /** Without the differences, and what repeats in one row. */
  brief?: boolean;
}

export function AuditList({ entries, brief = false }: Props) {
  return (
    <ul className={rowsStyles.rows}>
      {brief
        ? inGroups(entries, areAlike).map((group) => (
            <AuditGroup key={group[0].id} group={group} brief />
          ))
        : entries.map((entry) => <AuditRow key={entry.id} entry={entry} />)}
    </ul>
  );
}

/** Entries that say the same, in one row. */
export function AuditGroup({
  group,
  brief = false,
}: {
  group: Group<AuditEntry>;
  brief?: boolean;
}) {
  const [newest, ...others] = group;
  if (others.length === 0) return <AuditRow entry={newest} brief={brief} />;
  return (
    <EventRow at={newest.at}>
      <p>
        <Actor actor={newest.actor} /> {inChosenZone(groupInWords(group))}
      </p>
      {!brief && (
        <details className={styles.diff}>
          <summary>Each of them</summary>
          <AuditList entries={[...group]} />
        </details>
      )}
    </EventRow>
  );
}

export function AuditRow({ entry, brief = false }: { entry: AuditEntry; brief?: boolean }) {
  const { mayChange } = useEnvironment();
  const [isReverting, setReverting] = useState(false);
  return (
    <EventRow at={entry.at}>
      <p>
        <Actor actor={entry.actor} /> <Sentence entry={entry} />
      </p>
      {!brief && (
        <div className={styles.more}>
          <Diff entry={entry} />
          {entry.can_revert && mayChange && (
            <Button kind="quiet" onClick={() => setReverting(true)}>
              Revert
            </Button>
          )}
        </div>
      )}
      {isReverting && <RevertDialog entries={[entry]} onClose={() => setReverting(false)} />}
    </EventRow>
  );
}

/** Something that happened, in a list of such rows. */
export function EventRow({ at, children }: { at: string; children: ReactNode }) {
  return (
    <li className={`${rowsStyles.row} ${rowsStyles.stacks} ${styles.entry}`}>
      <div className={rowsStyles.main}>{children}</div>
      <div className={`${rowsStyles.side} ${rowsStyles.note}`}>
        <Ago at={at} />
      </div>
    </li>
  );
}

/** Only the name. The id, and the email of a person, are in the link and show on hover. */
export function Actor({ actor }: { actor: string }) {
  const { links } = useEnvironment();
  return (
    <Link
      className={`${textStyles.strong} ${textStyles.quiet}`}
      {...links.audit({ actor })}
      title={actor}
    >
      {actorName(actor)}
    </Link>
  );
}

/** With the subject as a link. Where the sentence names it, it is there; otherwise nothing is to be opened. */
function Sentence({ entry }: { entry: AuditEntry }) {
  const { links } = useEnvironment();
  const { subject, subject_name } = entry;
  const sentence = inChosenZone(entry.sentence);
  const link = linkToSubject(links, subject);
  const at = sentence.indexOf(subject_name);
  if (!link || at === -1) return sentence;
  return (
    <>
      {sentence.slice(0, at)}
      <Link {...link} title={subject}>
        {subject_name}
      </Link>
      {sentence.slice(at + subject_name.length)}
    </>
  );
}

/** Of a new record, all fields differ. */
const LONGEST_SUMMARY = 80;

function Diff({ entry }: { entry: AuditEntry }) {
  const changes = differences(entry.before, entry.after);
  if (changes.length === 0) return null;
  const fields = changes.map(({ field }) => fieldInWords(field)).join(', ');
  return (
    <details className={styles.diff}>
      <summary>{fields.length > LONGEST_SUMMARY ? `${changes.length} fields` : fields}</summary>
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
                <th scope="row" title={field}>
                  {fieldTitle(field)}
                </th>
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
