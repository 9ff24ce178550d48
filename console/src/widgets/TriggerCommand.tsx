import { useEnvironment } from '../app/environment.tsx';

/** Reports an order to this environment. The command itself goes to the sandbox, where there is a demo partner. */
export function TriggerCommand() {
  const { environment } = useEnvironment();
  const where = environment === 'production' && ' --environment production --partner ID';
  return <code>npx bellhop trigger{where}</code>;
}
