/** How often each code came, what it means, and what to do about it. Every call counts, however many pages they fill. */
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import rowsStyles from '../../../../console/src/ui/lists/Rows.module.css';
import sectionStyles from '../../../../console/src/ui/page/Section.module.css';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import type { CallCodes } from '../../api/types.ts';
import { words } from '../../words/words.ts';

interface Props {
  codes: CallCodes;
  /** The code that the list is filtered by. */
  shown: string | undefined;
  /** An empty one shows all. */
  onShow(code: string): void;
}

export function ByCode({ codes: { items, is_exact }, shown, onShow }: Props) {
  return (
    <Section title={words.refusals.byCode}>
      <ul className={rowsStyles.rows}>
        {items.map(({ code, status, meaning, advice, calls }) => (
          <li key={`${status} ${code}`} className={`${rowsStyles.row} ${rowsStyles.stacks}`}>
            <div className={rowsStyles.main}>
              <p>
                <strong>
                  {status} <code>{code}</code>
                </strong>{' '}
                <span className={textStyles.dim}>{words.refusals.calls(calls)}</span>
              </p>
              <p>{meaning}</p>
              <p>{advice}</p>
            </div>
            <div className={rowsStyles.side}>
              {shown === code ? (
                <Button onClick={() => onShow('')}>{words.refusals.showAll}</Button>
              ) : (
                <Button aria-label={words.refusals.showCode(code)} onClick={() => onShow(code)}>
                  {words.refusals.show}
                </Button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {!is_exact && <p className={sectionStyles.foot}>{words.refusals.notAll}</p>}
    </Section>
  );
}
