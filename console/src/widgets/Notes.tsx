/** What colleagues wrote about a record. Notes can be added, but not changed. */
import { actorName } from '@bellhop/rules/actor-name';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../api/problem.ts';
import { type Noted, notedIn, noteOperations } from '../api/queries.ts';
import type { Note } from '../api/types.ts';
import { usePages } from '../api/use-pages.ts';
import { useEnvironment } from '../app/environment.tsx';
import { Field } from '../ui/forms/Field.tsx';
import { Form } from '../ui/forms/Form.tsx';
import { MoreButton } from '../ui/lists/MoreButton.tsx';
import { announce } from '../ui/page/announce.ts';
import { Empty } from '../ui/page/Empty.tsx';
import { Loaded } from '../ui/page/Loaded.tsx';
import { Section } from '../ui/page/Section.tsx';
import { Ago } from '../ui/text/Time.tsx';
import styles from './Notes.module.css';

const POLL_MS = 10_000;
const LONGEST = 4_000;

export function Notes({ kind, id }: { kind: Noted; id: string }) {
  const { queries, mayChange } = useEnvironment();
  const notes = usePages(queries.notes(kind, id), POLL_MS);
  return (
    <Section title="Notes">
      {mayChange && <NewNote kind={kind} id={id} />}
      <Loaded query={notes}>
        {(shown) =>
          shown.length === 0 ? (
            <Empty title="No notes yet." />
          ) : (
            <ul className={styles.notes}>
              {shown.map((note) => (
                <OneNote key={note.id} note={note} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton query={notes} />
    </Section>
  );
}

function OneNote({ note: { author, at, text } }: { note: Note }) {
  return (
    <li className={styles.note}>
      <p className={styles.head}>
        <strong title={author}>{actorName(author)}</strong> <Ago at={at} />
      </p>
      <p className={styles.text}>{text}</p>
    </li>
  );
}

function NewNote({ kind, id }: { kind: Noted; id: string }) {
  const { call } = useEnvironment();
  const [text, setText] = useState('');
  const add = useMutation({
    mutationFn: () =>
      call(noteOperations[kind][1], { ...notedIn(kind, id), body: { text: text.trim() } }),
    onSuccess: () => {
      setText('');
      announce('The note is saved.');
    },
  });
  const error = fieldError(add.error, 'text');
  return (
    <div className={styles.form}>
      <Form
        submit="Add note"
        busy={add.isPending}
        disabled={text.trim() === ''}
        problem={error ? undefined : add.error}
        onSubmit={() => add.mutate()}
      >
        <Field label="New note" error={error}>
          {(props) => (
            <textarea
              {...props}
              rows={2}
              maxLength={LONGEST}
              placeholder="What should your colleagues know?"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </Form>
    </div>
  );
}
