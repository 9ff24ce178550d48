/** Who may sign in: people of the team and programs. Only for admins. */
import { useState } from 'react';
import { call, csvOf } from '../../api/client.ts';
import type { Token, TokenWithSecret } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { allPages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { NewButton } from '../../ui/dialogs/NewButton.tsx';
import { SecretDialog } from '../../ui/dialogs/SecretDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { type Column, Table } from '../../ui/lists/Table.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Page } from '../../ui/page/Page.tsx';
import { Badge } from '../../ui/text/Badge.tsx';
import { Ago, useNow } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { DownloadCsv } from '../../widgets/DownloadCsv.tsx';
import NotFound from '../not-found/NotFound.tsx';
import { NewTokenDialog } from './NewTokenDialog.tsx';
import { People } from './People.tsx';
import { roles } from './roles.ts';

/** Tokens belong to no environment. */
const allTokens = {
  queryKey: ['tokens'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    allPages((query) => call('listTokens', { query }, signal)),
};

export default function Tokens() {
  return useEnvironment().mayManageTokens ? <TokensOfEveryone /> : <NotFound />;
}

function TimeOrNever({ at }: { at: string | null }) {
  return at === null ? <span className={textStyles.dim}>never</span> : <Ago at={at} />;
}

function Expiry({ at }: { at: string | null }) {
  const isPast = useNow() >= Date.parse(at ?? '');
  return isPast ? <Badge tone="bad">expired</Badge> : <TimeOrNever at={at} />;
}

function TokensOfEveryone() {
  const query = useLiveQuery(allTokens);
  const [created, setCreated] = useState<TokenWithSecret>();
  const [deleting, setDeleting] = useState<Token>();
  const columns: Column<Token>[] = [
    { head: 'Name', cell: (token) => <strong className={textStyles.clip}>{token.name}</strong> },
    { head: 'Role', cell: ({ role }) => <Badge tone={roles[role]?.tone}>{role}</Badge> },
    { head: 'Created', cell: (token) => <Ago at={token.created_at} /> },
    { head: 'Last used', cell: ({ last_used_at }) => <TimeOrNever at={last_used_at} /> },
    { head: 'Expires', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
    {
      head: 'Delete',
      phone: 'lead',
      cell: (token) => (
        <Button kind="quiet" onClick={() => setDeleting(token)}>
          Delete<span className={textStyles.visuallyHidden}> {token.name}</span>
        </Button>
      ),
    },
  ];
  return (
    <Page
      title="Tokens"
      about="One for each person and program. A token works for production and sandbox. The audit shows its name."
      actions={
        <>
          <DownloadCsv href={csvOf('listTokens', {})} />
          <NewButton
            label="New token"
            dialog={(close) => (
              <NewTokenDialog
                onClose={close}
                onCreated={(token) => {
                  close();
                  setCreated(token);
                }}
              />
            )}
          />
        </>
      }
    >
      <Loaded query={query}>
        {(all) => <Table label="Tokens" columns={columns} rows={all} keyOf={(token) => token.id} />}
      </Loaded>
      <People />
      {created && (
        <SecretDialog
          title={`Token of ${created.name}`}
          advice="It is shown only once. Send it to its owner over a secure channel. It signs in to the console and the API."
          lines={[['Token', created.token]]}
          onClose={() => setCreated(undefined)}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={`Delete the token of ${deleting.name}?`}
          submit="Delete token"
          onClose={() => setDeleting(undefined)}
          onConfirm={async () => {
            await call('deleteToken', { query: { id: deleting.id } });
            announce('The token is deleted.');
          }}
        >
          <p>Everyone who uses it is signed out at once. Their changes stay in the audit.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}
