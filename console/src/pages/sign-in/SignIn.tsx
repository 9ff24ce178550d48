import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { rememberSession } from '../../api/session.ts';
import { session } from '../../api/support-api.ts';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { BellIcon } from '../../ui/text/icons.tsx';
import styles from './SignIn.module.css';

export function SignIn() {
  const client = useQueryClient();
  const [token, setToken] = useState('');
  const signIn = useMutation({
    mutationFn: () => session.signIn(token.trim()),
    onSuccess: (signedIn) => rememberSession(client, signedIn),
  });
  useEffect(() => {
    document.title = 'Sign in · Bellhop';
  }, []);
  const refused = signIn.error?.status === 401;
  return (
    <main className={styles.signIn}>
      <div className={styles.card}>
        <h1 className={styles.brand}>
          <BellIcon /> Bellhop
        </h1>
        <p className={styles.about}>The API support team's console.</p>
        <Form
          submit="Sign in"
          busy={signIn.isPending}
          disabled={token.trim() === ''}
          problem={refused ? undefined : signIn.error}
          onSubmit={() => signIn.mutate()}
        >
          <TextField
            label="Your personal token"
            error={
              refused
                ? 'This token is not known. It may have been deleted, or cut off while copying.'
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
          <Link to="/docs">API documentation</Link>
        </p>
      </div>
    </main>
  );
}
