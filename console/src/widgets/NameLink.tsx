/** Links that show a name where a list has only the id. */
import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../app/environment.tsx';
import { useName } from './use-name.ts';

interface Props {
  id: string;
  className?: string | undefined;
}

export function PartnerLink({ id, className }: Props) {
  const { links } = useEnvironment();
  return (
    <Link {...links.partner(id)} className={className}>
      {useName('partners', id)}
    </Link>
  );
}

export function MidofficeLink({ id, className }: Props) {
  const { links } = useEnvironment();
  return (
    <Link {...links.midoffice(id)} className={className}>
      {useName('midoffices', id)}
    </Link>
  );
}
