/** Who may sign in: people of the team and programs. Only for admins. */
import { useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { tokens } from '../api.ts';
import { useReading } from '../live.ts';
import type { Role, Token, TokenWithSecret } from '../model.ts';
import { Badge, type Tone } from '../parts/Badge.tsx';
import { Button } from '../parts/Button.tsx';
import { ConfirmDialog } from '../parts/ConfirmDialog.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { PlusIcon } from '../parts/icons.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { Page } from '../parts/Page.tsx';
import { SecretDialog } from '../parts/SecretDialog.tsx';
import { type Column, Table } from '../parts/Table.tsx';
import { Ago } from '../parts/Time.tsx';
import { fieldError } from '../problem.ts';

const roles: readonly [Role, string, Tone][] = [
  ['viewer', 'sees everything, changes nothing', 'calm'],
  ['support', 'changes partners, keys, midoffices and deliveries', 'accent'],
  ['admin', 'manages tokens as well', 'warn'],
  ['orders', 'a program that posts order events; no console', 'calm'],
];

export default function Tokens() {
  const reading = useReading('tokens', () => tokens.list());
  const [creating, setCreating] = useState(false);
  const [created, setCreated] = useState<TokenWithSecret>();
  const [deleting, setDeleting] = useState<Token>();
  const columns: Column<Token>[] = [
    { head: 'Name', cell: (token) => <strong className="clip">{token.name}</strong> },
    { head: 'Role', cell: (token) => <Badge tone={toneOf(token.role)}>{token.role}</Badge> },
    { head: 'Created', cell: (token) => <Ago at={token.created_at} /> },
    {
      head: 'Delete',
      cell: (token) => (
        <Button kind="quiet" onClick={() => setDeleting(token)}>
          Delete<span className="visually-hidden"> {token.name}</span>
        </Button>
      ),
    },
  ];
  return (
    <Page
      title="Tokens"
      about="One for each person and program. They hold for production and sandbox alike; the name is what the audit shows."
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          <PlusIcon /> New token
        </Button>
      }
    >
      <Loaded reading={reading}>
        {({ items }) => (
          <Table label="Tokens" columns={columns} rows={items} keyOf={(token) => token.id} />
        )}
      </Loaded>
      {creating && (
        <NewTokenDialog
          onClose={() => setCreating(false)}
          onCreated={(token) => {
            setCreating(false);
            setCreated(token);
            void reading.reload();
          }}
        />
      )}
      {created && (
        <SecretDialog
          title={`Token of ${created.name}`}
          advice="It is shown this once. Give it to its owner by a safe way; it signs in to the console and the API."
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
            await tokens.remove(deleting.id);
            announce('The token is deleted.');
            await reading.reload();
          }}
        >
          <p>Whoever uses it is signed out at once. What they did stays in the audit.</p>
        </ConfirmDialog>
      )}
    </Page>
  );
}

function toneOf(role: Role): Tone {
  return roles.find(([name]) => name === role)?.[2] ?? 'calm';
}

interface NewTokenProps {
  onCreated(token: TokenWithSecret): void;
  onClose(): void;
}

function NewTokenDialog({ onCreated, onClose }: NewTokenProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('support');
  const create = useAction(async () => onCreated(await tokens.create({ name: name.trim(), role })));
  const atField = fieldError(create.problem, 'name');
  return (
    <Dialog title="New token" open onClose={onClose}>
      <Form
        submit="Create token"
        busy={create.busy}
        disabled={name.trim() === ''}
        problem={atField ? undefined : create.problem}
        onSubmit={() => void create.run()}
        onCancel={onClose}
      >
        <Field
          label="Name"
          error={atField}
          hint="The person's or the program's; the audit shows it."
        >
          {(props) => (
            <input
              {...props}
              value={name}
              maxLength={200}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <fieldset className="choices">
          <legend>Role</legend>
          <div className="choices-list">
            {roles.map(([value, meaning]) => (
              <label key={value} className="choice">
                <input
                  type="radio"
                  name="role"
                  checked={role === value}
                  onChange={() => setRole(value)}
                />
                <span>
                  <strong>{value}</strong> {meaning}
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      </Form>
    </Dialog>
  );
}
