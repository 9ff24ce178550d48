/** One key: its standing, and what it may call how often. */
import { useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import { useReading } from '../live.ts';
import type { Key as KeyModel, KeyWithSecret } from '../model.ts';
import { KeyBadge } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { Id } from '../parts/CopyButton.tsx';
import { EditKeyDialog } from '../parts/EditKeyDialog.tsx';
import { Facts } from '../parts/Facts.tsx';
import { Grants } from '../parts/Grants.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { Note } from '../parts/Note.tsx';
import { Page, Section } from '../parts/Page.tsx';
import { ProblemNote } from '../parts/ProblemNote.tsx';
import { RotateDialog } from '../parts/RotateDialog.tsx';
import { SecretDialog } from '../parts/SecretDialog.tsx';
import { Ago, Time, useNow } from '../parts/Time.tsx';
import { overlapEnd } from '../rotation.ts';
import { Link } from '../router.tsx';

type Open = 'rotate' | 'revoke' | 'edit' | undefined;

export default function Key({ id }: { id: string }) {
  const { api, places, mayChange } = useDesk();
  const reading = useReading(`key ${id}`, () => api.keys.get(id));
  const [open, setOpen] = useState<Open>();
  const [rotated, setRotated] = useState<KeyWithSecret>();
  const key = reading.data;
  const close = () => setOpen(undefined);
  const disable = useAction(async (disabled: boolean) => {
    reading.show(await api.keys.update(id, { disabled }));
    announce(disabled ? 'The key is disabled.' : 'The key works again.');
  });
  const isLiving = key && !key.revoked_at;
  return (
    <Page
      title={key?.label ?? `Key ${id}`}
      up={{ to: places.keys, title: 'Keys' }}
      badges={key && <KeyBadge apiKey={key} />}
      actions={
        mayChange &&
        isLiving && (
          <>
            <Button onClick={() => setOpen('edit')}>Edit</Button>
            <Button busy={disable.busy} onClick={() => void disable.run(!key.disabled)}>
              {key.disabled ? 'Enable' : 'Disable'}
            </Button>
            <Button kind="danger" onClick={() => setOpen('revoke')}>
              Revoke
            </Button>
            <Button kind="primary" onClick={() => setOpen('rotate')}>
              Rotate
            </Button>
          </>
        )
      }
    >
      {disable.problem && <ProblemNote problem={disable.problem} />}
      <Loaded reading={reading}>{(shown) => <Shown apiKey={shown} />}</Loaded>
      {key && open === 'edit' && (
        <EditKeyDialog apiKey={key} onClose={close} onSaved={reading.show} />
      )}
      {key && open === 'rotate' && (
        <RotateDialog
          apiKey={key}
          onClose={close}
          onRotated={({ api_key, ...rest }) => {
            close();
            setRotated({ api_key, ...rest });
            reading.show(rest);
          }}
        />
      )}
      {rotated && (
        <SecretDialog
          title="The new API key"
          advice="It is shown this once. Hand it over to the partner by a safe way."
          lines={[
            ['Key id', rotated.key_id],
            ['API key', rotated.api_key],
          ]}
          onClose={() => setRotated(undefined)}
        />
      )}
      {key && open === 'revoke' && (
        <ConfirmDialog
          title="Revoke this key for good?"
          submit="Revoke key"
          typed={key.key_id}
          onClose={close}
          onConfirm={async () => {
            await api.keys.revoke(id);
            announce('The key is revoked.');
            await reading.reload();
          }}
        >
          <p>
            Every call with it is refused within a second, and it cannot be brought back. To stop it
            for a while, disable it instead.
          </p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function Shown({ apiKey }: { apiKey: KeyModel }) {
  const { api, places } = useDesk();
  const oldWorksUntil = overlapEnd(apiKey, useNow());
  const { data: partner } = useReading(`partner ${apiKey.partner_id}`, () =>
    api.partners.get(apiKey.partner_id),
  );
  return (
    <>
      {apiKey.revoked_at && (
        <Note kind="bad">
          Revoked <Ago at={apiKey.revoked_at} />. Make a new key on the partner's page.
        </Note>
      )}
      {apiKey.disabled && !apiKey.revoked_at && (
        <Note kind="warn">
          This key is disabled: every call is refused with <code>api_access_disabled</code>.
        </Note>
      )}
      {partner?.suspended && (
        <Note kind="bad">
          Its partner is suspended: every call is refused with <code>api_access_disabled</code>.
        </Note>
      )}
      {oldWorksUntil && (
        <Note>
          Rotation under way: the old API key works until <Time at={oldWorksUntil} /> (
          <Ago at={oldWorksUntil} />
          ).
        </Note>
      )}
      <Section title="Key">
        <Facts
          facts={[
            ['Key id', <Id key="i" id={apiKey.key_id} what="key id" />],
            [
              'Partner',
              <Link key="p" to={places.partner(apiKey.partner_id)}>
                {partner?.name ?? apiKey.partner_id}
              </Link>,
            ],
            ['Expires', apiKey.expires_at ? <Time key="e" at={apiKey.expires_at} /> : 'never'],
            [
              'Allowed addresses',
              apiKey.allowed_ips ? <code key="a">{apiKey.allowed_ips.join(', ')}</code> : 'all',
            ],
            ['Created', <Time key="c" at={apiKey.created_at} />],
            [
              'Changes',
              <Link key="x" to={places.audit({ subject: apiKey.key_id })}>
                in the audit
              </Link>,
            ],
          ]}
        />
      </Section>
      <Grants apiKey={apiKey} partner={partner} />
    </>
  );
}
