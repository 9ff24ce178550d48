/** Goes to the other environment's first page; nothing of this one comes along. */
import { useDesk } from '../desk.tsx';
import { Link } from '../router.tsx';

export function EnvironmentSwitch() {
  const { session, environment } = useDesk();
  return (
    <nav className="environments" aria-label="Environment">
      {session.environments.map((name) => (
        <Link
          key={name}
          to={`/${name}`}
          className={`environment environment-${name}`}
          aria-current={name === environment ? 'true' : undefined}
        >
          <span className="environment-mark" />
          {name}
        </Link>
      ))}
    </nav>
  );
}
