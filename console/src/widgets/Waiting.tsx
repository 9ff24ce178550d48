import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../app/environment.tsx';
import { inDigits } from '../ui/text/numbers.ts';

/** Lists stop counting here. */
const MOST_COUNTED = 10_000;

interface Props {
  midofficeId: string;
  pending: number;
  /** Where no head says what the number means. */
  withWord?: boolean;
}

/** How many deliveries of a midoffice are pending, with a link to them. */
export function Waiting({ midofficeId, pending, withWord = false }: Props) {
  const { links } = useEnvironment();
  if (pending === 0) return withWord ? null : '–';
  return (
    <Link {...links.deliveries({ midoffice_id: midofficeId, state: 'pending' })}>
      {inDigits(pending)}
      {pending >= MOST_COUNTED && ' or more'}
      {withWord && ' pending'}
    </Link>
  );
}
