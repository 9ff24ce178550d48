import { shortPath } from '../../../../server/src/base/catalogue.ts';
import type { Grant } from '../../api/types.ts';
import styles from '../../ui/lists/Pairs.module.css';
import { Scroll } from '../../ui/lists/Scroll.tsx';
import textStyles from '../../ui/text/text.module.css';
import { limitInWords } from '../../widgets/limit-words.ts';
import { isSame } from './default-grant.ts';

interface Props {
  grants: readonly Grant[];
  changedOf(grant: Grant): Grant;
}

/** What a change of several endpoints does to each of them. */
export function Comparison({ grants, changedOf }: Props) {
  return (
    <Scroll label="What changes">
      <ul className={styles.list}>
        {grants.map((grant) => (
          <li key={grant.endpoint}>
            <code>{shortPath(grant.endpoint)}</code>
            <span className={isSame(grant, changedOf(grant)) ? textStyles.dim : undefined}>
              {differenceOf(grant, changedOf(grant))}
            </span>
          </li>
        ))}
      </ul>
    </Scroll>
  );
}

function differenceOf(before: Grant, after: Grant): string {
  const [was, becomes] = [limitInWords(before), limitInWords(after)];
  if (was !== becomes) return `${was} → ${becomes}`;
  return isSame(before, after) ? `stays ${was}` : `${was}; active, no debug mode`;
}
