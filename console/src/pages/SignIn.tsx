import { useEffect, useState } from 'react';
import { useAction } from '../action.ts';
import { session as sessions } from '../api.ts';
import type { Session } from '../model.ts';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { BellIcon } from '../parts/icons.tsx';
import { Link } from '../router.tsx';

/** The address stays as it is, so that one comes back to the page one was on. */
export function SignIn({ onSignedIn }: { onSignedIn(session: Session): void }) {
  const [token, setToken] = useState('');
  const signIn = useAction(async () => onSignedIn(await sessions.signIn(token.trim())));
  useEffect(() => {
    document.title = 'Sign in · Bellhop';
  }, []);
  const refused = signIn.problem?.status === 401;
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <h1 className="sign-in-brand">
          <BellIcon /> Bellhop
        </h1>
        <p className="sign-in-about">The API support team's console.</p>
        <Form
          submit="Sign in"
          busy={signIn.busy}
          disabled={token.trim() === ''}
          problem={refused ? undefined : signIn.problem}
          onSubmit={() => void signIn.run()}
        >
          <Field
            label="Your personal token"
            error={
              refused
                ? 'This token is not known. Was it deleted, or cut off while copying?'
                : undefined
            }
            hint="An admin makes one for you on the Tokens page. It is exchanged for a session and not kept in the browser."
          >
            {(props) => (
              <input
                {...props}
                type="password"
                autoComplete="current-password"
                // biome-ignore lint/a11y/noAutofocus: the only field of the page.
                autoFocus
                value={token}
                onChange={(event) => setToken(event.target.value)}
              />
            )}
          </Field>
        </Form>
        <p className="sign-in-docs">
          <Link to="/docs">API documentation</Link>
        </p>
      </div>
    </main>
  );
}
