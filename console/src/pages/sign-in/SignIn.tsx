import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import { rememberSession } from '../../api/session-cache.ts';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Note } from '../../ui/page/Note.tsx';
import { BellIcon } from '../../ui/text/icons.tsx';
import { needsAnotherAccount, refusals } from './refusals.ts';
import styles from './SignIn.module.css';
import { SingleSignOn } from './SingleSignOn.tsx';

interface Props {
  /** Where single sign-on leads back to; by default to the page at this address. */
  returnTo?: string;
  /** Why single sign-on failed. */
  refused?: string | undefined;
}

export function SignIn({ returnTo = location.pathname + location.search, refused }: Props) {
  const client = useQueryClient();
  const [token, setToken] = useState('');
  const signIn = useMutation({
    mutationFn: () => call('signIn', { body: { token: token.trim() } }),
    onSuccess: (signedIn) => rememberSession(client, signedIn),
  });
  useEffect(() => {
    document.title = 'Sign in · Bellhop';
  }, []);
  const isUnknown = signIn.error?.status === 401;
  const sentence = refused === undefined ? undefined : (refusals[refused] ?? refusals.failed);
  return (
    <main className={styles.signIn}>
      <div className={styles.card}>
        <h1 className={styles.brand}>
          <BellIcon /> Bellhop
        </h1>
        <p className={styles.about}>The API support team's console.</p>
        {sentence && (
          <div role="alert" className={styles.refused}>
            <Note kind="warn">{sentence}</Note>
          </div>
        )}
        <SingleSignOn returnTo={returnTo} again={needsAnotherAccount(refused)} />
        <Form
          submit="Sign in"
          busy={signIn.isPending}
          disabled={token.trim() === ''}
          problem={isUnknown ? undefined : signIn.error}
          onSubmit={() => signIn.mutate()}
        >
          <TextField
            label="Your personal token"
            error={
              isUnknown
                ? 'This token is not known. It may have expired or been deleted, or been cut off while copying.'
                : undefined
            }
            hint="An admin creates one for you on the Tokens page. It is exchanged for a session; the browser does not keep it."
            type="password"
            autoComplete="current-password"
            // It is the only field of the page.
            autoFocus
            value={token}
            onChange={setToken}
          />
        </Form>
        <p className={styles.docs}>
          <a href="/docs/">Documentation</a>
        </p>
      </div>
    </main>
  );
}
