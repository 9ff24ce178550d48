/** Who gets notices by mail, and what they said. */
import { useState } from 'react';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { usePages } from '../../../../console/src/api/use-pages.ts';
import { ConfirmDialog } from '../../../../console/src/ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { MoreButton } from '../../../../console/src/ui/lists/MoreButton.tsx';
import rowsStyles from '../../../../console/src/ui/lists/Rows.module.css';
import { announce } from '../../../../console/src/ui/page/announce.ts';
import { Loaded } from '../../../../console/src/ui/page/Loaded.tsx';
import { Note } from '../../../../console/src/ui/page/Note.tsx';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { Ago } from '../../../../console/src/ui/text/Time.tsx';
import { inChosenZone } from '../../../../console/src/ui/text/times.ts';
import type { Contact } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { ContactDialog } from './ContactDialog.tsx';
import { ContactRow } from './ContactRow.tsx';

const POLL_MS = 10_000;

type Open = { what: 'edit' | 'remove' | 'again'; contact: Contact } | { what: 'add' };

export default function Contacts() {
  const { call, queries, may } = useView();
  const query = useLiveQuery(queries.contacts(), POLL_MS);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const { contacts = [], sends_mail: sendsMail = true } = query.data ?? {};
  const others = (contact?: Contact) => contacts.filter((one) => one.email !== contact?.email);
  const { contacts: said } = words;
  return (
    <Page
      title={said.title}
      about={said.about}
      actions={
        may('contacts') && (
          <Button kind="primary" onClick={() => setOpen({ what: 'add' })}>
            {said.add}
          </Button>
        )
      }
    >
      {!sendsMail && <Note>{said.noMail}</Note>}
      <Section title={said.contacts}>
        <Loaded query={query}>
          {(data) =>
            data.contacts.length === 0 ? (
              <p>{said.none}</p>
            ) : (
              <ul className={rowsStyles.rows}>
                {data.contacts.map((contact) => (
                  <ContactRow
                    key={contact.email}
                    contact={contact}
                    onAct={(what) => setOpen({ what, contact })}
                  />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Notices />
      {(open?.what === 'add' || open?.what === 'edit') && (
        <ContactDialog
          contact={open.what === 'edit' ? open.contact : undefined}
          others={others(open.what === 'edit' ? open.contact : undefined)}
          onClose={close}
        />
      )}
      {open?.what === 'remove' && (
        <ConfirmDialog
          title={said.removeTitle(open.contact.email)}
          submit={said.remove}
          onClose={close}
          onConfirm={async () => {
            await call('putContacts', { body: { contacts: others(open.contact).map(asGiven) } });
            announce(said.removed);
          }}
        >
          <p>{said.removeAbout}</p>
        </ConfirmDialog>
      )}
      {open?.what === 'again' && (
        <ConfirmDialog
          title={said.againTitle(open.contact.email)}
          submit={said.again}
          isHarmless
          onClose={close}
          onConfirm={async () => {
            await call('confirmContactAgain', { body: { email: open.contact.email } });
            announce(said.sentAgain);
          }}
        >
          <p>{said.againAbout}</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

export function asGiven({ email, notices }: Contact) {
  return { email, notices };
}

function Notices() {
  const { environment, queries } = useView();
  const list = usePages(queries.notices(), POLL_MS);
  const { contacts: said } = words;
  return (
    <Section title={said.notices}>
      <Loaded query={list}>
        {(items) =>
          items.length === 0 ? (
            <p>{said.noNotices}</p>
          ) : (
            <ul className={rowsStyles.rows}>
              {items.map(({ id, at, subject, text, page }) => (
                <li key={id} className={`${rowsStyles.row} ${rowsStyles.stacks}`}>
                  <div className={rowsStyles.main}>
                    <strong>{subject}</strong>
                    <p>
                      {inChosenZone(text)} <a href={`/${environment}/${page}`}>{said.look}</a>
                    </p>
                  </div>
                  <div className={`${rowsStyles.side} ${rowsStyles.note}`}>
                    <Ago at={at} />
                  </div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <MoreButton query={list} />
    </Section>
  );
}
