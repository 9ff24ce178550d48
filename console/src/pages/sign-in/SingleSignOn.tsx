/** Leads to the provider. A link, because the browser leaves the console. Shown only if it is configured. */
import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import buttonStyles from '../../ui/forms/Button.module.css';
import { classes } from '../../ui/text/classes.ts';
import styles from './SignIn.module.css';

interface Props {
  /** The path of the page to come back to. */
  returnTo: string;
  /** Whether the provider should ask who it is, even if it knows. */
  again: boolean;
}

export function SingleSignOn({ returnTo, again }: Props) {
  const { data } = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call('getSignInMethods', {}, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data?.openid_connect) return null;
  const query = new URLSearchParams({ return_to: returnTo, ...(again && { prompt: 'login' }) });
  return (
    <>
      <a
        className={classes(buttonStyles.button, buttonStyles.primary, styles.singleSignOn)}
        href={`/console/oidc/sign-in?${query}`}
      >
        Sign in with single sign-on
      </a>
      <p className={styles.or}>or</p>
    </>
  );
}
