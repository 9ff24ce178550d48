/** The API keys that work now: more than one while rotations overlap. */
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { useNow } from '../../../../console/src/ui/text/Time.tsx';
import { ApiKeyList } from '../../../../console/src/widgets/ApiKeyList.tsx';
import { stillWorking } from '../../../../console/src/widgets/rotation.ts';
import type { ApiKeyInForce } from '../../api/types.ts';
import { words } from '../../words/words.ts';

const REFRESH_MS = 30_000;

export function ApiKeys({ inForce }: { inForce: readonly ApiKeyInForce[] }) {
  const apiKeys = stillWorking(inForce, useNow(REFRESH_MS));
  // Not read yet, or the key is revoked or expired.
  if (apiKeys.length === 0) return null;
  return (
    <Section title={words.keys.overlaps}>
      {apiKeys.length === 1 ? (
        <p>{words.keys.onlyOne}</p>
      ) : (
        <>
          <p>{words.keys.overlapsText(apiKeys.length)}</p>
          <ApiKeyList label={words.keys.overlaps} apiKeys={apiKeys} />
        </>
      )}
    </Section>
  );
}
