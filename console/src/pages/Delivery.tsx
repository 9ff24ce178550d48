/** One delivery: what happened, what will happen, and why. */
import { useEffect, useRef, useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import { useReading } from '../live.ts';
import type { DeliveryWithAttempts } from '../model.ts';
import { useMidofficeNames, usePartnerNames } from '../names.ts';
import { DeliveryBadge } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { Id } from '../parts/CopyButton.tsx';
import { Facts } from '../parts/Facts.tsx';
import { LiveMark } from '../parts/LiveMark.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { Note } from '../parts/Note.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { ProblemNote } from '../parts/ProblemNote.tsx';
import { Due, Time } from '../parts/Time.tsx';
import { Timeline } from '../parts/Timeline.tsx';
import { Link } from '../router.tsx';

const POLL_MS = 2_000;
const MIDOFFICE_POLL_MS = 10_000;

export default function Delivery({ id }: { id: string }) {
  const { api, places, mayChange } = useDesk();
  const reading = useReading(`delivery ${id}`, () => api.deliveries.get(id), POLL_MS);
  const delivery = reading.data;
  const [cancelling, setCancelling] = useState(false);
  const retry = useAction(async () => {
    await api.deliveries.retry(id);
    announce('An attempt is made now.');
    await reading.reload();
  });
  useStateAnnounced(delivery);
  const isPending = delivery?.state === 'pending';
  return (
    <Page
      title={delivery ? `Order ${delivery.partner_order_id}` : `Delivery ${id}`}
      up={{ to: places.deliveries(), title: 'Deliveries' }}
      badges={
        delivery && (
          <>
            <DeliveryBadge delivery={delivery} />
            <LiveMark reading={reading} />
          </>
        )
      }
      actions={
        mayChange &&
        delivery && (
          <>
            {isPending && <Button onClick={() => setCancelling(true)}>Cancel delivery</Button>}
            <Button
              kind="primary"
              busy={retry.busy}
              disabled={delivery.in_flight}
              onClick={() => void retry.run()}
            >
              {isPending ? 'Retry now' : 'Send again'}
            </Button>
          </>
        )
      }
    >
      {retry.problem && <ProblemNote problem={retry.problem} />}
      <Loaded reading={reading}>{(data) => <Shown delivery={data} />}</Loaded>
      {cancelling && delivery && (
        <ConfirmDialog
          title="Cancel this delivery?"
          submit="Cancel delivery"
          onClose={() => setCancelling(false)}
          onConfirm={async () => {
            await api.deliveries.cancel(id);
            announce('The delivery is cancelled.');
            await reading.reload();
          }}
        >
          <p>
            No further attempt will be made to tell the midoffice that order{' '}
            <strong>{delivery.partner_order_id}</strong> was {delivery.type}. It can be sent again
            later.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** What the midoffice has to do with it: there may be none. */
function Circumstances({
  delivery,
  midofficeId,
}: {
  delivery: DeliveryWithAttempts;
  midofficeId: string;
}) {
  const { api, places } = useDesk();
  const midoffice = useReading(
    `midoffice ${midofficeId}`,
    () => api.midoffices.get(midofficeId),
    MIDOFFICE_POLL_MS,
  );
  const midoffices = useMidofficeNames();
  return (
    <>
      {delivery.state === 'pending' && midoffice.data?.paused && (
        <Note kind="warn">
          Its midoffice is paused: no attempt is made until{' '}
          <Link to={places.midoffice(midofficeId)}>it is resumed</Link>.
        </Note>
      )}
      {delivery.why && delivery.state !== 'delivered' && (
        <div className={`why ${delivery.state === 'exhausted' ? 'why-bad' : ''}`}>
          <h2>{delivery.state === 'exhausted' ? 'Why did this fail?' : 'What is going on?'}</h2>
          <p>{delivery.why}</p>
          <p className="why-next">
            <Link to={places.midoffice(midofficeId)}>Look at {midoffices.of(midofficeId)}</Link>
          </p>
        </div>
      )}
    </>
  );
}

function Shown({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { places } = useDesk();
  const { midoffice_id } = delivery;
  const midoffices = useMidofficeNames();
  const partners = usePartnerNames();
  return (
    <>
      {midoffice_id === null ? (
        <Note kind="warn">
          Its partner had no midoffice when this event came, so nobody was told. Give{' '}
          <Link to={places.partner(delivery.partner_id)}>{partners.of(delivery.partner_id)}</Link> a
          midoffice, then send it again here, or recover all of them on the midoffice's page.
        </Note>
      ) : (
        <Circumstances delivery={delivery} midofficeId={midoffice_id} />
      )}
      <div className="detail">
        <Section title="Attempts">
          <Timeline delivery={delivery} />
        </Section>
        <Section title="Event">
          <Facts
            facts={[
              ['Order', <Id key="o" id={delivery.partner_order_id} what="order id" />],
              ['Event', delivery.type],
              ['Agreement', delivery.agreement_number ?? '–'],
              ['Status', delivery.status ?? '–'],
              [
                'Midoffice',
                midoffice_id === null ? (
                  'none'
                ) : (
                  <Link key="m" to={places.midoffice(midoffice_id)}>
                    {midoffices.of(midoffice_id)}
                  </Link>
                ),
              ],
              [
                'Partner',
                <Link key="p" to={places.partner(delivery.partner_id)}>
                  {partners.of(delivery.partner_id)}
                </Link>,
              ],
              ['Accepted', <Time key="a" at={delivery.accepted_at} />],
              [
                'Settled',
                delivery.settled_at ? <Time key="s" at={delivery.settled_at} /> : 'not yet',
              ],
              [
                'Next attempt',
                delivery.next_attempt_at ? <Due key="n" at={delivery.next_attempt_at} /> : '–',
              ],
              ['Delivery id', <Id key="d" id={delivery.id} what="delivery id" />],
              ['Event id', <Id key="e" id={delivery.event_id} what="event id" />],
            ]}
          />
          <p className="section-foot">
            <Link to={places.deliveries({ partner_order_id: delivery.partner_order_id })}>
              All deliveries of this order
            </Link>
            <Link to={places.audit({ subject: delivery.id })}>What people did to it</Link>
          </p>
        </Section>
      </div>
    </>
  );
}

function useStateAnnounced(delivery: DeliveryWithAttempts | undefined) {
  const before = useRef<{ state: string; attempts: number }>(undefined);
  useEffect(() => {
    if (!delivery) return;
    const was = before.current;
    before.current = { state: delivery.state, attempts: delivery.attempts_made };
    if (!was) return;
    if (was.state !== delivery.state && delivery.state === 'delivered') announce('Delivered.');
    else if (was.state !== delivery.state && delivery.state === 'exhausted') {
      announce('The last attempt failed; the delivery is exhausted.');
    } else if (was.attempts !== delivery.attempts_made && delivery.state === 'pending') {
      announce(`Attempt ${delivery.attempts_made} failed.`);
    }
  }, [delivery]);
}
