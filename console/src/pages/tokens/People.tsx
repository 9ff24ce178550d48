/** The people who have signed in through OpenID Connect. Their roles come from the provider. */
import { useState } from 'react';
import { call } from '../../api/client.ts';
import type { Person } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { allPages } from '../../api/use-pages.ts';
import { ConfirmDialog } from '../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { type Column, Table } from '../../ui/lists/Table.tsx';
import { announce } from '../../ui/page/announce.ts';
import { Section } from '../../ui/page/Section.tsx';
import { Badge } from '../../ui/text/Badge.tsx';
import { Ago } from '../../ui/text/Time.tsx';
import textStyles from '../../ui/text/text.module.css';
import { roles } from './roles.ts';

/** Like tokens, they belong to no environment. */
const everyone = {
  queryKey: ['people'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    allPages((query) => call('listPeople', { query }, signal)),
};

/** Nothing where nobody has signed in that way. */
export function People() {
  const { data } = useLiveQuery(everyone);
  const [ending, setEnding] = useState<Person>();
  if (!data || data.length === 0) return null;
  const columns: Column<Person>[] = [
    { head: 'Name', cell: ({ name }) => <strong className={textStyles.clip}>{name}</strong> },
    { head: 'Email', cell: ({ email }) => <span className={textStyles.clip}>{email ?? '–'}</span> },
    { head: 'Role', cell: ({ role }) => <RoleBadge role={role} /> },
    { head: 'Last sign-in', cell: ({ signed_in_at }) => <Ago at={signed_in_at} /> },
    {
      head: 'Sessions',
      cell: (person) => (
        <Button kind="quiet" onClick={() => setEnding(person)}>
          Sign out<span className={textStyles.visuallyHidden}> {person.name} everywhere</span>
        </Button>
      ),
    },
  ];
  return (
    <Section title="People with single sign-on">
      <Table label="People" columns={columns} rows={data} keyOf={({ id }) => id} />
      {ending && (
        <ConfirmDialog
          title={`Sign ${ending.name} out everywhere?`}
          submit="Sign out everywhere"
          onClose={() => setEnding(undefined)}
          onConfirm={async () => {
            await call('endSessionsOfPerson', { id: ending.id });
            announce(`All sessions of ${ending.name} have ended.`);
          }}
        >
          <p>
            All sessions end at once. To keep {ending.name} out, take the role away at the provider
            first.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

function RoleBadge({ role }: Pick<Person, 'role'>) {
  return role === null ? <Badge>none</Badge> : <Badge tone={roles[role]?.tone}>{role}</Badge>;
}
