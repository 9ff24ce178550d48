import type { Key, Partner } from '../../api/types.ts';
import { EffectsNote } from '../../widgets/effects/EffectsNote.tsx';
import { useEffects } from '../../widgets/effects/use-effects.ts';
import type { useGrantChange } from './use-grant-change.ts';

interface Props {
  apiKey: Key;
  partner: Partner | undefined;
  change: ReturnType<typeof useGrantChange>;
}

/** What a lower limit, or an endpoint that is switched off, refuses; and what it takes to put a limit back. */
export function EffectsOfLowering({ apiKey: { key_id }, partner, change }: Props) {
  const { lowered, isSwitchedOff, left, changedOf } = change;
  const bodies = (isSwitchedOff ? left : lowered).map(changedOf);
  const counted = useEffects(
    JSON.stringify([key_id, bodies]),
    bodies.map((body) => (dryRun, signal) => dryRun('putGrant', { key_id, body }, signal)),
  );
  return (
    <>
      <EffectsNote counted={counted} isLeast={!isSwitchedOff} />
      {lowered.length > 0 && (
        <p>
          {partner?.certified_at === null
            ? 'The limit can be raised again only after the partner is certified.'
            : 'To raise the limit again, you need an approval reference.'}
        </p>
      )}
    </>
  );
}
