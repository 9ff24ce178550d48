import { shortPath } from '../../../../server/src/base/catalogue.ts';
import { Note } from '../../ui/page/Note.tsx';
import { counted } from '../../words/en/counted.ts';
import type { Refused } from './save-grants.ts';

/** Which endpoints of several could not be changed, and why. */
export function NotSaved({ refused, of }: { refused: readonly Refused[]; of: number }) {
  return (
    <div role="alert">
      <Note kind="bad">
        <p>
          {of - refused.length} of {counted(of, 'endpoint')} saved. Not saved:
        </p>
        <ul>
          {refused.map(({ endpoint, problem }) => (
            <li key={endpoint}>
              <code>{shortPath(endpoint)}</code>: {problem.message}
            </li>
          ))}
        </ul>
      </Note>
    </div>
  );
}
