/** Key id and API key. People who have neither get a link from API support, which has a page of its own. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import styles from '../../../../console/src/pages/sign-in/SignIn.module.css';
import { Choices } from '../../../../console/src/ui/forms/Choices.tsx';
import { Form } from '../../../../console/src/ui/forms/Form.tsx';
import { TextField } from '../../../../console/src/ui/forms/TextField.tsx';
import { Note } from '../../../../console/src/ui/page/Note.tsx';
import { call } from '../../api/client.ts';
import { rememberMe } from '../../api/session.ts';
import type { Environment } from '../../api/types.ts';
import { useEntrance } from '../../app/entrance.ts';
import { Brand } from '../../shell/Brand.tsx';
import { Stack } from '../../shell/Stack.tsx';
import { words } from '../../words/words.ts';

/** Without an environment, people choose one, and go to its first page. */
export function SignIn({ environment }: { environment?: Environment }) {
  const { environments, name } = useEntrance();
  const [chosen, setChosen] = useState(environment ?? environments[0]?.name ?? 'production');
  const hasKeys = environments.some((one) => one.name === chosen && one.takes_keys);
  useEffect(() => {
    document.title = `${words.signIn.title} · ${name}`;
  }, [name]);
  return (
    <main className={styles.signIn}>
      <div className={styles.card}>
        <h1 className={styles.brand}>
          <Brand />
        </h1>
        <p className={styles.about}>{words.signIn.about}</p>
        <Stack>
          {environments.length > 1 && !environment && (
            <Choices
              legend={words.signIn.environment}
              options={environments.map((one) => ({ value: one.name, label: one.name }))}
              value={chosen}
              onChange={setChosen}
            />
          )}
          {hasKeys ? (
            <KeyForm environment={chosen} />
          ) : (
            <Note>{words.signIn.linkOnly(chosen)}</Note>
          )}
        </Stack>
        {hasKeys && <p className={styles.docs}>{words.signIn.orLink}</p>}
      </div>
    </main>
  );
}

function KeyForm({ environment }: { environment: Environment }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [keyId, setKeyId] = useState('');
  const [apiKey, setApiKey] = useState('');
  const signIn = useMutation({
    mutationFn: () =>
      call('signInWithKey', {
        environment,
        body: { key_id: keyId.trim(), api_key: apiKey.trim() },
      }),
    onSuccess: async (me) => {
      rememberMe(client, me);
      if (location.pathname === '/') {
        await navigate({ to: '/$environment', params: { environment }, replace: true });
      }
    },
  });
  return (
    <Form
      submit={words.signIn.submit}
      busy={signIn.isPending}
      disabled={keyId.trim() === '' || apiKey.trim() === ''}
      problem={signIn.error}
      onSubmit={() => signIn.mutate()}
    >
      <TextField
        label={words.signIn.keyId}
        autoComplete="username"
        inputMode="numeric"
        spellCheck={false}
        autoFocus
        value={keyId}
        onChange={setKeyId}
      />
      <TextField
        label={words.signIn.apiKey}
        hint={words.signIn.apiKeyHint}
        type="password"
        autoComplete="current-password"
        value={apiKey}
        onChange={setApiKey}
      />
    </Form>
  );
}
