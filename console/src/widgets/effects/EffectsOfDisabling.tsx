import { EffectsNote } from './EffectsNote.tsx';
import { useEffects } from './use-effects.ts';

/** Revoking a key refuses the same calls. */
export function EffectsOfDisabling({ keyId }: { keyId: string }) {
  const counted = useEffects(`disable ${keyId}`, [
    (dryRun, signal) => dryRun('updateKey', { key_id: keyId, body: { disabled: true } }, signal),
  ]);
  return <EffectsNote counted={counted} />;
}
