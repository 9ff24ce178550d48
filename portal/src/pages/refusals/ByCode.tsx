/** What the codes in the list mean, how often each came, and what to do about it. */
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import rowsStyles from '../../../../console/src/ui/lists/Rows.module.css';
import sectionStyles from '../../../../console/src/ui/page/Section.module.css';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import type { OwnRefusal } from '../../api/types.ts';
import { words } from '../../words/words.ts';

interface Props {
  refusals: readonly OwnRefusal[];
  /** The code that the list is filtered by. */
  shown: string | undefined;
  onShow(code: string): void;
}

export function ByCode({ refusals, shown, onShow }: Props) {
  return (
    <Section title={words.refusals.byCode}>
      <ul className={rowsStyles.rows}>
        {grouped(refusals).map(({ code, status, meaning, advice, count }) => (
          <li key={code} className={`${rowsStyles.row} ${rowsStyles.stacks}`}>
            <div className={rowsStyles.main}>
              <p>
                <strong>
                  {status} <code>{code}</code>
                </strong>{' '}
                <span className={textStyles.dim}>{words.refusals.calls(count)}</span>
              </p>
              <p>{meaning}</p>
              <p>{advice}</p>
            </div>
            {shown !== code && (
              <div className={rowsStyles.side}>
                <Button aria-label={words.refusals.showCode(code)} onClick={() => onShow(code)}>
                  {words.refusals.show}
                </Button>
              </div>
            )}
          </li>
        ))}
      </ul>
      <p className={sectionStyles.foot}>{words.refusals.among(refusals.length)}</p>
    </Section>
  );
}

type Group = Pick<OwnRefusal, 'code' | 'status' | 'meaning' | 'advice'> & { count: number };

/** The most frequent first. One entry can stand for many calls. */
export function grouped(refusals: readonly OwnRefusal[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { code, status, meaning, advice, sampled_from } of refusals) {
    const group = groups.get(code) ?? { code, status, meaning, advice, count: 0 };
    group.count += sampled_from;
    groups.set(code, group);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
