/** The API keys that work now: more than one while rotations overlap. */
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { useNow } from '../../../../console/src/ui/text/Time.tsx';
import { Overlaps } from '../../../../console/src/widgets/Overlaps.tsx';
import { overlapsOf } from '../../../../console/src/widgets/rotation.ts';
import type { OwnKey } from '../../api/types.ts';
import { words } from '../../words/words.ts';

const REFRESH_MS = 30_000;

export function ApiKeys({ apiKey }: { apiKey: OwnKey }) {
  const ends = overlapsOf(apiKey, useNow(REFRESH_MS));
  return (
    <Section title={words.keys.overlaps}>
      {ends.length === 0 ? (
        <p>{words.keys.onlyOne}</p>
      ) : (
        <>
          <p>{words.keys.overlapsText(ends.length)}</p>
          <Overlaps ends={ends} />
        </>
      )}
    </Section>
  );
}
