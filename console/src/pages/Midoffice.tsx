/** One midoffice: does its receiver answer, what waits for it, and what to do about it. */
import { useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import { useReading } from '../live.ts';
import type { Attempt, Midoffice as MidofficeModel, ReceiverCertification } from '../model.ts';
import { AttemptCard } from '../parts/AttemptCard.tsx';
import { MidofficeBadges } from '../parts/Badge.tsx';
import { BodyPreview } from '../parts/BodyPreview.tsx';
import { Button } from '../parts/Button.tsx';
import { Id } from '../parts/CopyButton.tsx';
import { Facts } from '../parts/Facts.tsx';
import { LiveMark } from '../parts/LiveMark.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { MidofficeDialog } from '../parts/MidofficeDialog.tsx';
import { Note } from '../parts/Note.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { ProblemNote } from '../parts/ProblemNote.tsx';
import { ReceiverReport } from '../parts/ReceiverReport.tsx';
import { RecentDeliveries } from '../parts/RecentDeliveries.tsx';
import { RecoverDialog } from '../parts/RecoverDialog.tsx';
import { Ago, Time } from '../parts/Time.tsx';
import { Link } from '../router.tsx';

const POLL_MS = 4_000;

export default function Midoffice({ id }: { id: string }) {
  const { api, places, mayChange } = useDesk();
  const reading = useReading(`midoffice ${id}`, () => api.midoffices.get(id), POLL_MS);
  const [open, setOpen] = useState<'edit' | 'recover'>();
  const [tested, setTested] = useState<Attempt>();
  const [certified, setCertified] = useState<ReceiverCertification>();
  const midoffice = reading.data;
  const pause = useAction(async (paused: boolean) => {
    await api.midoffices.update(id, { paused });
    announce(paused ? 'Paused: nothing is sent, everything is kept.' : 'Resumed.');
    await reading.reload();
  });
  const test = useAction(async () => {
    const attempt = await api.midoffices.sendTestEvent(id);
    setTested(attempt);
    announce(
      attempt.outcome === 'delivered' ? 'The test event was delivered.' : 'The test event failed.',
    );
  });
  const certify = useAction(async () => {
    setCertified(undefined);
    const report = await api.midoffices.certifyReceiver(id);
    setCertified(report);
    announce(
      report.verdict === 'passed' ? 'The receiver is certified.' : 'The receiver is not certified.',
    );
  });
  const problem = pause.problem ?? test.problem ?? certify.problem;
  return (
    <Page
      title={midoffice?.name ?? 'Midoffice'}
      up={{ to: places.midoffices, title: 'Midoffices' }}
      badges={
        midoffice && (
          <>
            <MidofficeBadges midoffice={midoffice} />
            <LiveMark reading={reading} />
          </>
        )
      }
      actions={
        mayChange &&
        midoffice && (
          <>
            <Button onClick={() => setOpen('edit')}>Edit</Button>
            <Button busy={pause.busy} onClick={() => void pause.run(!midoffice.paused)}>
              {midoffice.paused ? 'Resume' : 'Pause'}
            </Button>
            <Button onClick={() => setOpen('recover')}>Recover…</Button>
            <Button busy={certify.busy} onClick={() => void certify.run()}>
              Certify receiver
            </Button>
            <Button kind="primary" busy={test.busy} onClick={() => void test.run()}>
              Send test event
            </Button>
          </>
        )
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {certify.busy && (
        <Note>
          Certifying: some 40 requests, one at a time. It takes half a minute at the most.
        </Note>
      )}
      <Loaded reading={reading}>
        {(shown) => <Shown midoffice={shown} tested={tested} certified={certified} />}
      </Loaded>
      {midoffice && open === 'edit' && (
        <MidofficeDialog
          title={`Edit ${midoffice.name}`}
          submit="Save"
          midoffice={midoffice}
          onClose={() => setOpen(undefined)}
          onSave={async (fields) => {
            await api.midoffices.update(id, fields);
            announce('The midoffice is saved.');
            setOpen(undefined);
            await reading.reload();
          }}
        />
      )}
      {midoffice && open === 'recover' && (
        <RecoverDialog
          midoffice={midoffice}
          onClose={() => {
            setOpen(undefined);
            void reading.reload();
          }}
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
  const { places } = useDesk();
  const last = midoffice.last_attempt;
  return (
    <>
      {midoffice.paused && (
        <Note kind="warn">
          Paused: events are accepted and kept, nothing is sent until it is resumed.
        </Note>
      )}
      {midoffice.failing_since && (
        <Note kind="bad">
          No attempt has succeeded since <Time at={midoffice.failing_since} /> (
          <Ago at={midoffice.failing_since} />
          ).{last?.error && ` Last: ${last.error}`}
        </Note>
      )}
      {tested && (
        <Section title="Test event">
          <div className="timeline timeline-one">
            <div
              className={`moment ${tested.outcome === 'delivered' ? 'moment-good' : 'moment-bad'}`}
            >
              <AttemptCard attempt={tested} isOpen />
            </div>
          </div>
        </Section>
      )}
      {certified && <ReceiverReport report={certified} />}
      <div className="detail">
        <div>
          <Waiting midoffice={midoffice} />
          {last && (
            <Section
              title="Last attempt"
              aside={<Link to={places.delivery(last.delivery_id)}>Its delivery</Link>}
            >
              <div className="timeline timeline-one">
                <div
                  className={`moment ${last.outcome === 'delivered' ? 'moment-good' : 'moment-bad'}`}
                >
                  <AttemptCard attempt={last} />
                </div>
              </div>
            </Section>
          )}
        </div>
        <div>
          <Section title="Receiver">
            <Facts
              facts={[
                [
                  'URL',
                  <code key="u" className="break">
                    {midoffice.url}
                  </code>,
                ],
                [
                  'Signing key',
                  <Link key="k" to={places.key(midoffice.signing_key_id)}>
                    <code>{midoffice.signing_key_id}</code>
                  </Link>,
                ],
                [
                  'Order of delivery',
                  midoffice.delivery_order === 'any' ? 'as soon as possible' : 'in order',
                ],
                ['Most in flight', midoffice.max_in_flight],
                ['Body form', midoffice.body_form],
                ['Id', <Id key="i" id={midoffice.id} what="midoffice id" />],
                ['Created', <Time key="c" at={midoffice.created_at} />],
              ]}
            />
            <details className="preview">
              <summary>The body it gets</summary>
              <BodyPreview form={midoffice.body_form} />
            </details>
            <p className="section-foot">
              <Link to={places.audit({ subject: midoffice.id })}>Its changes</Link>
            </p>
          </Section>
        </div>
      </div>
    </>
  );
}

function Waiting({ midoffice }: { midoffice: MidofficeModel }) {
  const { places } = useDesk();
  const { id, pending, oldest_pending_at } = midoffice;
  return (
    <RecentDeliveries
      of={{ midoffice_id: id }}
      advice="Choose it as the midoffice of a partner, then the events of its orders come here."
    >
      <p className="sum">
        {pending ? (
          <>
            <Link to={places.deliveries({ midoffice_id: id, state: 'pending' })}>
              {pending} pending
            </Link>
            {oldest_pending_at && (
              <>
                , the oldest accepted <Ago at={oldest_pending_at} />
              </>
            )}
            .
          </>
        ) : (
          'Nothing waits.'
        )}
      </p>
    </RecentDeliveries>
  );
}
