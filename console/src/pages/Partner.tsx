/** One partner: its standing, its keys, and where its webhooks go. */
import { useState } from 'react';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import { useReading } from '../live.ts';
import type { KeyWithSecret, Partner as PartnerModel } from '../model.ts';
import { PartnerBadges } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { CertifyDialog } from '../parts/CertifyDialog.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { Id } from '../parts/CopyButton.tsx';
import { Facts } from '../parts/Facts.tsx';
import { PlusIcon } from '../parts/icons.tsx';
import { KeyTable } from '../parts/KeyTable.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { NewKeyDialog } from '../parts/NewKeyDialog.tsx';
import { Note } from '../parts/Note.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { PartnerMidoffice } from '../parts/PartnerMidoffice.tsx';
import { RecentDeliveries } from '../parts/RecentDeliveries.tsx';
import { RenameDialog } from '../parts/RenameDialog.tsx';
import { SecretDialog } from '../parts/SecretDialog.tsx';
import { Time } from '../parts/Time.tsx';
import { Link } from '../router.tsx';
import { calendarDate } from '../times.ts';

type Open = 'certify' | 'suspend' | 'rename' | undefined;

export default function Partner({ id }: { id: string }) {
  const { api, places, mayChange } = useDesk();
  const reading = useReading(`partner ${id}`, () => api.partners.get(id));
  const [open, setOpen] = useState<Open>();
  const partner = reading.data;
  const close = () => setOpen(undefined);

  async function setSuspended(suspended: boolean) {
    reading.show(await api.partners.update(id, { suspended }));
    announce(suspended ? 'The partner is suspended.' : 'The partner may call again.');
  }
  return (
    <Page
      title={partner?.name ?? 'Partner'}
      up={{ to: places.partners, title: 'Partners' }}
      badges={partner && <PartnerBadges partner={partner} />}
      actions={
        mayChange &&
        partner && (
          <>
            <Button onClick={() => setOpen('rename')}>Rename</Button>
            <Button onClick={() => setOpen('suspend')}>
              {partner.suspended ? 'Lift suspension' : 'Suspend'}
            </Button>
            {!partner.certified_at && (
              <Button kind="primary" onClick={() => setOpen('certify')}>
                Certify
              </Button>
            )}
          </>
        )
      }
    >
      <Loaded reading={reading}>
        {(shown) => <Shown partner={shown} onChanged={reading.show} />}
      </Loaded>
      {partner && open === 'certify' && (
        <CertifyDialog partner={partner} onClose={close} onCertified={reading.show} />
      )}
      {partner && open === 'rename' && (
        <RenameDialog
          title="Rename partner"
          name={partner.name}
          onClose={close}
          onRename={async (name) => reading.show(await api.partners.update(id, { name }))}
        />
      )}
      {partner && open === 'suspend' && (
        <ConfirmDialog
          title={partner.suspended ? 'Lift the suspension?' : 'Suspend this partner?'}
          submit={partner.suspended ? 'Lift suspension' : 'Suspend'}
          onClose={close}
          onConfirm={() => setSuspended(!partner.suspended)}
        >
          {partner.suspended ? (
            <p>
              All keys of {partner.name} that are not disabled themselves work again within a
              second.
            </p>
          ) : (
            <p>
              Every call with any key of <strong>{partner.name}</strong> is refused with{' '}
              <code>api_access_disabled</code> within a second.
            </p>
          )}
        </ConfirmDialog>
      )}
    </Page>
  );
}

interface ShownProps {
  partner: PartnerModel;
  onChanged(partner: PartnerModel): void;
}

function Shown({ partner, onChanged }: ShownProps) {
  const { places } = useDesk();
  return (
    <>
      {partner.suspended && (
        <Note kind="bad">
          This partner is suspended: every call is refused with <code>api_access_disabled</code>.
        </Note>
      )}
      <div className="detail">
        <div>
          <Keys partner={partner} />
          <RecentDeliveries
            of={{ partner_id: partner.id }}
            advice="They come once it has a midoffice and the booking core posts events of its orders."
          />
        </div>
        <div>
          <Section title="Partner">
            <Facts
              facts={[
                ['Id', <Id key="i" id={partner.id} what="partner id" />],
                ['Integration since', calendarDate(partner.integration_started_on)],
                ['New to the API', partner.is_new ? 'yes' : 'no'],
                [
                  'Certified',
                  partner.certified_at ? <Time key="c" at={partner.certified_at} /> : 'not yet',
                ],
                ['Reference', partner.certification_reference ?? '–'],
                ['Created', <Time key="t" at={partner.created_at} />],
              ]}
            />
            <p className="section-foot">
              <Link to={places.audit({ subject: partner.id })}>Its changes</Link>
            </p>
          </Section>
          <PartnerMidoffice partner={partner} onChanged={onChanged} />
        </div>
      </div>
    </>
  );
}

function Keys({ partner }: { partner: PartnerModel }) {
  const { api, mayChange } = useDesk();
  const reading = useReading(`keys of ${partner.id}`, () =>
    api.keys.list({ partner_id: partner.id, limit: 200 }),
  );
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<KeyWithSecret>();
  return (
    <Section
      title="Keys"
      aside={
        mayChange && (
          <Button onClick={() => setCreating(true)}>
            <PlusIcon /> New key
          </Button>
        )
      }
    >
      <Loaded reading={reading}>{({ items }) => <KeyTable keys={items} />}</Loaded>
      {creating && (
        <NewKeyDialog
          partner={partner}
          onClose={() => setCreating(false)}
          onCreated={(key) => {
            setCreating(false);
            setCreated(key);
            void reading.reload();
          }}
        />
      )}
      {created && (
        <SecretDialog
          title="The new key"
          advice="The API key is shown this once. Hand both over to the partner by a safe way."
          lines={[
            ['Key id', created.key_id],
            ['API key', created.api_key],
          ]}
          onClose={() => setCreated(undefined)}
        />
      )}
    </Section>
  );
}
