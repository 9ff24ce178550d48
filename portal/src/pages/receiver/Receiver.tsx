/** Where webhooks go: change it safely, test it, and learn how to verify what comes. */
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { whenReachable } from '../../../../console/src/api/connection.ts';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { Facts } from '../../../../console/src/ui/page/Facts.tsx';
import { Loaded, Waiting } from '../../../../console/src/ui/page/Loaded.tsx';
import { Note } from '../../../../console/src/ui/page/Note.tsx';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { Ago } from '../../../../console/src/ui/text/Time.tsx';
import { MidofficeBadges } from '../../../../console/src/widgets/badges.tsx';
import type { OwnMidoffice } from '../../api/types.ts';
import { useMidoffice } from '../../api/use-midoffice.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { ChangeUrlDialog } from './ChangeUrlDialog.tsx';
import { NotOwn } from './NotOwn.tsx';
import { SettingsDialog } from './SettingsDialog.tsx';
import { Trials } from './Trials.tsx';

/** The snippets are as much text as the rest of the page. */
const Snippets = lazy(() => whenReachable(() => import('./Snippets.tsx')));

export default function Receiver() {
  const { may } = useView();
  const query = useMidoffice();
  const [open, setOpen] = useState<'url' | 'settings'>();
  const close = () => setOpen(undefined);
  const midoffice = query.data;
  const mayChange = may('receiver') && midoffice?.is_own;
  return (
    <Page
      title={words.receiver.title}
      about={words.receiver.about}
      badges={midoffice && <MidofficeBadges midoffice={midoffice} />}
      actions={
        mayChange && (
          <>
            <Button onClick={() => setOpen('settings')}>{words.receiver.changeSettings}</Button>
            <Button kind="primary" onClick={() => setOpen('url')}>
              {words.receiver.changeUrl}
            </Button>
          </>
        )
      }
    >
      <Loaded query={query}>
        {(found) =>
          found === null ? (
            <Empty title={words.receiver.none}>{words.receiver.noneAdvice}</Empty>
          ) : (
            <Shown midoffice={found} />
          )
        }
      </Loaded>
      {open === 'url' && midoffice && <ChangeUrlDialog url={midoffice.url} onClose={close} />}
      {open === 'settings' && midoffice && <SettingsDialog midoffice={midoffice} onClose={close} />}
    </Page>
  );
}

function Shown({ midoffice }: { midoffice: OwnMidoffice }) {
  const { links } = useView();
  const { url, body_form, delivery_order, pending, last_test, signing_key_id, url_change } =
    midoffice;
  return (
    <>
      {midoffice.paused && <Note kind="warn">{words.receiver.paused}</Note>}
      {url_change && <UrlChange change={url_change} />}
      <NotOwn midoffice={midoffice} />
      <Section title={words.receiver.facts}>
        <Facts
          facts={[
            [words.receiver.url, <code key="u">{url}</code>],
            [words.receiver.form, words.receiver.forms[body_form]],
            [words.receiver.orderOfEvents, words.receiver.orders[delivery_order]],
            [
              words.receiver.signedBy,
              signing_key_id === null ? (
                words.receiver.foreignKey
              ) : (
                <code key="k">{signing_key_id}</code>
              ),
            ],
            [
              words.receiver.waiting,
              <Link key="w" {...links.webhooks({ state: 'pending' })}>
                {pending ?? words.receiver.seeWaiting}
              </Link>,
            ],
            [
              words.receiver.lastTest,
              last_test ? (
                <span key="t">
                  {last_test.error ?? words.receiver.testAccepted} <Ago at={last_test.at} />
                </span>
              ) : (
                words.receiver.noTest
              ),
            ],
          ]}
        />
      </Section>
      {midoffice.is_own && <Trials url={url} />}
      <Suspense fallback={<Waiting />}>
        <Snippets form={body_form} />
      </Suspense>
    </>
  );
}

/** A new URL that is not in force: it is being tested, or it has failed. */
function UrlChange({ change }: { change: NonNullable<OwnMidoffice['url_change']> }) {
  const { url, at, tested_at, failure } = change;
  return (
    <Note kind={failure ? 'bad' : 'warn'}>
      <p>
        {tested_at === null ? words.receiver.urlUnderTest : words.receiver.urlFailed}{' '}
        <code>{url}</code> <Ago at={at} />
      </p>
      {failure && <p>{failure}</p>}
    </Note>
  );
}
