/** One key: its status, what it may call, and how often. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ApiKeyInForce, Key as KeyModel, KeyWithSecret, Partner } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { keyRoute } from '../../app/routes.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Facts } from '../../ui/page/Facts.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Note } from '../../ui/page/Note.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { Id } from '../../ui/text/CopyButton.tsx';
import { Ago, Time, useNow } from '../../ui/text/Time.tsx';
import { ApiKeyList } from '../../widgets/ApiKeyList.tsx';
import { KeyBadge } from '../../widgets/badges.tsx';
import { RecentCalls } from '../../widgets/calls/RecentCalls.tsx';
import { EffectsOfDisabling } from '../../widgets/effects/EffectsOfDisabling.tsx';
import { KeyDialog } from '../../widgets/KeyDialog.tsx';
import { KeySecretDialog } from '../../widgets/KeySecretDialog.tsx';
import { Notes } from '../../widgets/Notes.tsx';
import { RotateDialog } from '../../widgets/RotateDialog.tsx';
import { stillWorking } from '../../widgets/rotation.ts';
import { UsageHistory } from '../../widgets/usage/UsageHistory.tsx';
import { words } from '../../words/words.ts';
import { DisableButton } from './DisableButton.tsx';
import { Grants } from './Grants.tsx';

type Open = 'rotate' | 'revoke' | 'edit' | undefined;

/** Uses are written every 10 seconds. */
const API_KEYS_POLL_MS = 10_000;

export default function Key() {
  const { id } = keyRoute.useParams();
  const { call, queries, links, mayChange } = useEnvironment();
  const { data: apiKeys } = useLiveQuery(queries.apiKeys(id), API_KEYS_POLL_MS);
  const query = useLiveQuery(queries.key(id));
  const [open, setOpen] = useState<Open>();
  const [rotated, setRotated] = useState<KeyWithSecret>();
  const key = query.data;
  const { data: partner } = useQuery({
    ...queries.partner(key?.partner_id ?? ''),
    enabled: key !== undefined,
  });
  const close = () => setOpen(undefined);
  const canChange = mayChange && key && !key.revoked_at;
  return (
    <Page
      title={titleOf(id, key, partner)}
      up={<Link {...links.keys}>Keys</Link>}
      badges={key && <KeyBadge apiKey={key} />}
      actions={
        canChange && (
          <>
            <Button command="Edit key" onClick={() => setOpen('edit')}>
              Edit
            </Button>
            <DisableButton apiKey={key} />
            <Button kind="danger" command="Revoke key" onClick={() => setOpen('revoke')}>
              Revoke
            </Button>
            <Button kind="primary" command="Rotate key" onClick={() => setOpen('rotate')}>
              Rotate
            </Button>
          </>
        )
      }
    >
      <Loaded query={query}>
        {(shown) => <Shown apiKey={shown} partner={partner} inForce={apiKeys?.items ?? []} />}
      </Loaded>
      {key && open === 'edit' && (
        <KeyDialog
          title={`Edit key ${id}`}
          submit="Save"
          apiKey={key}
          save={(changes) => call('updateKey', { key_id: id, body: changes })}
          onSaved={() => {
            announce('The key is saved.');
            close();
          }}
          onClose={close}
        />
      )}
      {key && open === 'rotate' && (
        <RotateDialog
          apiKey={key}
          inForce={apiKeys?.items ?? []}
          rotate={(body) => call('rotateKey', { key_id: key.key_id, body })}
          onClose={close}
          onRotated={(withSecret) => {
            close();
            setRotated(withSecret);
          }}
        />
      )}
      {rotated && (
        <KeySecretDialog
          title="The new API key"
          apiKey={rotated}
          onClose={() => setRotated(undefined)}
        />
      )}
      {key && open === 'revoke' && (
        <ConfirmDialog
          title="Revoke this key permanently?"
          submit="Revoke key"
          typed={key.key_id}
          asksReason
          onClose={close}
          onConfirm={async (reason) => {
            await call('revokeKey', { key_id: id, query: { reason } });
            announce('The key is revoked.');
          }}
        >
          <p>
            Every call with this key is refused within a second, and this cannot be undone. To stop
            the key for a while, disable it instead.
          </p>
          {!key.disabled && <EffectsOfDisabling keyId={id} />}
        </ConfirmDialog>
      )}
    </Page>
  );
}

/** Whose key it is, and which of theirs. */
function titleOf(id: string, key: KeyModel | undefined, partner: Partner | undefined): string {
  const label = key?.label ?? `Key ${id}`;
  return partner ? `${partner.name} · ${label}` : label;
}

interface ShownProps {
  apiKey: KeyModel;
  partner: Partner | undefined;
  inForce: readonly ApiKeyInForce[];
}

function Shown({ apiKey, partner, inForce }: ShownProps) {
  const { links } = useEnvironment();
  const working = stillWorking(inForce, useNow());
  return (
    <>
      {apiKey.revoked_at && (
        <Note kind="bad">
          Revoked <Ago at={apiKey.revoked_at} />. Create a new key on the partner's page.
        </Note>
      )}
      {apiKey.disabled && !apiKey.revoked_at && (
        <Note kind="warn">
          This key is disabled. Every call is refused with <code>api_access_disabled</code>.
        </Note>
      )}
      {partner?.suspended && (
        <Note kind="bad">
          Its partner is suspended. Every call is refused with <code>api_access_disabled</code>.
        </Note>
      )}
      {working.length > 1 && (
        <Note>
          <p>Rotation under way. {words.apiKeys.earlierWork(working.length - 1)}</p>
          <ApiKeyList label="API keys" apiKeys={working} />
        </Note>
      )}
      <Section title="Key">
        <Facts
          facts={[
            ['Key id', <Id key="i" id={apiKey.key_id} what="key id" />],
            [
              'Partner',
              <Link key="p" {...links.partner(apiKey.partner_id)}>
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
              <Link key="x" {...links.audit({ subject: apiKey.key_id })}>
                in the audit
              </Link>,
            ],
          ]}
        />
      </Section>
      <UsageHistory of={{ key_id: apiKey.key_id }} />
      <RecentCalls of={{ key_id: apiKey.key_id }} />
      <Grants apiKey={apiKey} partner={partner} />
      <Notes kind="keys" id={apiKey.key_id} />
    </>
  );
}
