import { Link } from '@tanstack/react-router';
import type { Midoffice } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import { Note } from '../../ui/page/Note.tsx';
import pageStyles from '../../ui/page/Page.module.css';
import { Ago } from '../../ui/text/Time.tsx';
import { deliveriesInWords } from '../../words/en/counted.ts';
import styles from './ExhaustedNote.module.css';

interface Props {
  midoffice: Midoffice;
  onRecover(): void;
  onAcknowledge(): void;
}

/** What was given up stays here until somebody has dealt with it, also when the receiver is well again. */
export function ExhaustedNote({ midoffice, onRecover, onAcknowledge }: Props) {
  const { links, mayChange } = useEnvironment();
  const { id, exhausted, oldest_exhausted_at } = midoffice;
  if (exhausted === 0) return null;
  return (
    <Note kind="bad">
      <div className={styles.line}>
        <p>
          <Link {...links.deliveries({ midoffice_id: id, only: 'unacknowledged' })}>
            {deliveriesInWords(exhausted)}
          </Link>{' '}
          {exhausted === 1 ? 'was' : 'were'} given up and nobody has dealt with{' '}
          {exhausted === 1 ? 'it' : 'them'} yet
          {oldest_exhausted_at && (
            <>
              , the oldest accepted <Ago at={oldest_exhausted_at} />
            </>
          )}
          .
        </p>
        {mayChange && (
          <div className={pageStyles.actions}>
            <Button onClick={onRecover}>Send them again…</Button>
            <Button onClick={onAcknowledge}>Acknowledge…</Button>
          </div>
        )}
      </div>
    </Note>
  );
}
