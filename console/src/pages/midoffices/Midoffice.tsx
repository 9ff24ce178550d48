/** One midoffice: whether its receiver answers, what is pending, and what to do about it. */
import { actorName } from '@bellhop/rules/actor-name';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type {
  Attempt,
  Midoffice as MidofficeModel,
  NewRehearsal,
  ReceiverCertification,
} from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { midofficeRoute } from '../../app/routes.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Facts } from '../../ui/page/Facts.tsx';
import { LiveMark } from '../../ui/page/LiveMark.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Note } from '../../ui/page/Note.tsx';
import pageStyles from '../../ui/page/Page.module.css';
import { Page } from '../../ui/page/Page.tsx';
import { ProblemNote } from '../../ui/page/ProblemNote.tsx';
import sectionStyles from '../../ui/page/Section.module.css';
import { Section } from '../../ui/page/Section.tsx';
import { Id } from '../../ui/text/CopyButton.tsx';
import { spanOf } from '../../ui/text/durations.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import { Ago, Time } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { dateOf } from '../../ui/text/times.ts';
import { SingleAttempt } from '../../widgets/AttemptCard.tsx';
import { BodyPreview } from '../../widgets/BodyPreview.tsx';
import { MidofficeBadges } from '../../widgets/badges.tsx';
import { BulkDialog } from '../../widgets/bulk/BulkDialog.tsx';
import { Notes } from '../../widgets/Notes.tsx';
import { ReceiverReport } from '../../widgets/ReceiverReport.tsx';
import { RecentDeliveries } from '../../widgets/RecentDeliveries.tsx';
import { RehearseDialog } from '../../widgets/RehearseDialog.tsx';
import { SendPendingButton, SendPendingOffer } from '../../widgets/SendPending.tsx';
import { words } from '../../words/words.ts';
import { ExhaustedNote } from './ExhaustedNote.tsx';
import styles from './Midoffice.module.css';
import { MidofficeDialog } from './MidofficeDialog.tsx';
import { PartnersOfMidoffice } from './PartnersOfMidoffice.tsx';
import { RecoverDialog } from './RecoverDialog.tsx';

const POLL_MS = 4_000;

export default function Midoffice() {
  const { id } = midofficeRoute.useParams();
  const { call, environment, queries, links, mayChange } = useEnvironment();
  const query = useLiveQuery(queries.midoffice(id), POLL_MS);
  const [open, setOpen] = useState<'edit' | 'recover' | 'acknowledge' | 'pause' | 'rehearse'>();
  const midoffice = query.data;
  const setPaused = async (paused: boolean) => {
    await call('updateMidoffice', { id, body: { paused } });
    announce(paused ? 'Paused. Events are kept and nothing is sent.' : 'Resumed.');
  };
  const rehearse = (body: NewRehearsal) => call('rehearse', { id, body });
  const pause = useMutation({ mutationFn: setPaused });
  const test = useMutation({
    mutationFn: () => call('sendTestEvent', { id }),
    onSuccess: ({ outcome }) =>
      announce(
        outcome === 'delivered' ? 'The test event was delivered.' : 'The test event failed.',
        outcome === 'delivered' ? 'good' : 'bad',
      ),
  });
  const certify = useMutation({
    mutationFn: () => call('certifyReceiver', { id }),
    onSuccess: ({ verdict }) =>
      announce(
        verdict === 'passed'
          ? 'The receiver passed its check.'
          : 'The receiver did not pass its check.',
        verdict === 'passed' ? 'good' : 'bad',
      ),
  });
  // Resuming only lets out what waits. Pausing keeps a partner's orders from it.
  const pauseOrAsk = (isPaused: boolean) =>
    environment === 'production' && !isPaused ? setOpen('pause') : pause.mutate(!isPaused);
  const problem = pause.error ?? test.error ?? certify.error;
  return (
    <Page
      title={midoffice?.name ?? 'Midoffice'}
      up={<Link {...links.midoffices}>Midoffices</Link>}
      badges={
        midoffice && (
          <>
            <MidofficeBadges midoffice={midoffice} />
            <LiveMark query={query} />
          </>
        )
      }
      actions={
        mayChange &&
        midoffice && (
          <>
            <Button command="Edit midoffice" onClick={() => setOpen('edit')}>
              Edit
            </Button>
            <Button
              command={midoffice.paused ? 'Resume webhooks' : 'Pause webhooks'}
              busy={pause.isPending}
              onClick={() => pauseOrAsk(midoffice.paused)}
            >
              {midoffice.paused ? 'Resume' : 'Pause'}
            </Button>
            <Button onClick={() => setOpen('recover')}>Send again…</Button>
            <Button busy={certify.isPending} onClick={() => certify.mutate()}>
              Check receiver
            </Button>
            <Button onClick={() => setOpen('rehearse')}>{words.rehearsal.rehearse}</Button>
            <Button kind="primary" busy={test.isPending} onClick={() => test.mutate()}>
              Send test event
            </Button>
          </>
        )
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {certify.isPending && (
        <Note>Checking: about 40 requests, one at a time. This takes up to half a minute.</Note>
      )}
      <Loaded query={query}>
        {(shown) => (
          <>
            <ExhaustedNote
              midoffice={shown}
              onRecover={() => setOpen('recover')}
              onAcknowledge={() => setOpen('acknowledge')}
            />
            <Shown midoffice={shown} tested={test.data} certified={certify.data} />
          </>
        )}
      </Loaded>
      {midoffice && open === 'edit' && (
        <MidofficeDialog
          title={`Edit ${midoffice.name}`}
          submit="Save"
          midoffice={midoffice}
          rehearse={rehearse}
          onClose={() => setOpen(undefined)}
          onSave={async (fields) => {
            await call('updateMidoffice', { id, body: fields });
            announce('The midoffice is saved.');
            setOpen(undefined);
          }}
        />
      )}
      {midoffice && open === 'rehearse' && (
        <RehearseDialog
          url={midoffice.url}
          rehearse={rehearse}
          onClose={() => setOpen(undefined)}
        />
      )}
      {midoffice && open === 'recover' && (
        <RecoverDialog midoffice={midoffice} onClose={() => setOpen(undefined)} />
      )}
      {midoffice && open === 'pause' && (
        <ConfirmDialog
          title={`Pause ${midoffice.name}?`}
          submit="Pause"
          cancel="Keep sending"
          onClose={() => setOpen(undefined)}
          onConfirm={() => setPaused(true)}
        >
          <p>
            In production, no webhook is sent to <strong>{midoffice.name}</strong> until somebody
            resumes it. Events are accepted and kept.
          </p>
        </ConfirmDialog>
      )}
      {midoffice && open === 'acknowledge' && (
        <BulkDialog
          action="acknowledge"
          filter={{ midoffice_id: id }}
          selected={[]}
          onDone={() => {}}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Page>
  );
}

interface ShownProps {
  midoffice: MidofficeModel;
  tested: Attempt | undefined;
  certified: ReceiverCertification | undefined;
}

function Shown({ midoffice, tested, certified }: ShownProps) {
  const { links } = useEnvironment();
  const last = midoffice.last_attempt;
  return (
    <>
      {midoffice.paused && (
        <Note kind="warn">
          Paused. Events are accepted and kept; nothing is sent until you resume it.
        </Note>
      )}
      {midoffice.warnings.map(({ code, detail }) => (
        <Note key={code} kind="warn">
          {detail}
        </Note>
      ))}
      {midoffice.failing_since && (
        <Note kind="bad">
          No attempt has succeeded since <Time at={midoffice.failing_since} /> (
          <Ago at={midoffice.failing_since} />
          ).{last?.error && ` Last: ${last.error}`}
        </Note>
      )}
      {tested?.outcome === 'delivered' && <SendPendingOffer midoffice={midoffice} />}
      {tested && (
        <Section title="Test event">
          <SingleAttempt attempt={tested} isOpen />
        </Section>
      )}
      {certified && <ReceiverReport report={certified} />}
      <div className={pageStyles.detail}>
        <div>
          <Deliveries midoffice={midoffice} />
          {last && (
            <Section
              title="Last attempt"
              aside={<Link {...links.delivery(last.delivery_id)}>Open the delivery</Link>}
            >
              <SingleAttempt attempt={last} />
            </Section>
          )}
          {!tested && <LastTest midoffice={midoffice} />}
          <Notes kind="midoffices" id={midoffice.id} />
        </div>
        <div>
          <PartnersOfMidoffice id={midoffice.id} />
          <Section title="Receiver">
            <Facts
              facts={[
                [
                  'URL',
                  <code key="u" className={textStyles.wrap}>
                    {midoffice.url}
                  </code>,
                ],
                [
                  'Signing key',
                  <Link key="k" {...links.key(midoffice.signing_key_id)}>
                    <code>{midoffice.signing_key_id}</code>
                  </Link>,
                ],
                [
                  'Order of delivery',
                  midoffice.delivery_order === 'any' ? 'as soon as possible' : 'in order',
                ],
                ['Maximum in flight', midoffice.max_in_flight],
                ['Maximum per second', midoffice.max_per_second ?? 'no limit'],
                ['Additional headers', Object.keys(midoffice.headers).join(', ') || 'none'],
                ['Client certificate', certificateFact(midoffice)],
                ['Body form', midoffice.body_form],
                ['Id', <Id key="i" id={midoffice.id} what="midoffice id" />],
                ['Created', <Time key="c" at={midoffice.created_at} />],
              ]}
            />
            <details className={styles.preview}>
              <summary>Body of its webhooks</summary>
              <BodyPreview form={midoffice.body_form} />
            </details>
            <p className={sectionStyles.foot}>
              <Link {...links.audit({ subject: midoffice.id })}>Changes in the audit</Link>
            </p>
          </Section>
        </div>
      </div>
    </>
  );
}

/** What the latest test event sent, and who sent it. */
function LastTest({ midoffice: { last_test } }: { midoffice: MidofficeModel }) {
  if (!last_test) return null;
  return (
    <Section
      title="Last test event"
      aside={<span className={textStyles.dim}>by {actorName(last_test.actor)}</span>}
    >
      <SingleAttempt attempt={last_test.attempt} />
    </Section>
  );
}

function Deliveries({ midoffice }: { midoffice: MidofficeModel }) {
  const { links } = useEnvironment();
  const { id, pending, oldest_pending_at, max_per_second } = midoffice;
  return (
    <RecentDeliveries
      of={{ midoffice_id: id }}
      advice="Choose it as the midoffice of a partner. The events of that partner's orders then appear here."
    >
      <div className={styles.sum}>
        <p>
          {pending ? (
            <>
              <Link {...links.deliveries({ midoffice_id: id, state: 'pending' })}>
                {pending} pending
              </Link>
              {oldest_pending_at && (
                <>
                  , the oldest accepted <Ago at={oldest_pending_at} />
                </>
              )}
              .
              {max_per_second !== null &&
                ` At ${inDigits(max_per_second)} per second, sending them takes at least ${spanOf(Math.ceil(pending / max_per_second))}.`}
            </>
          ) : (
            'Nothing is pending.'
          )}
        </p>
        <SendPendingButton midoffice={midoffice} />
      </div>
    </RecentDeliveries>
  );
}

function certificateFact({ client_certificate }: MidofficeModel): string {
  if (!client_certificate) return 'none';
  const { subject, not_after } = client_certificate;
  return `${subject}, valid until ${dateOf(not_after)}`;
}
