/** Text as it was sent or received. It is never markup; JSON is indented. */
import { words } from '../../words/words.ts';
import { Scroll } from '../lists/Scroll.tsx';
import styles from './Code.module.css';
import { CopyButton } from './CopyButton.tsx';

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className={styles.code}>
      <Scroll label={label}>
        <pre>{indented(text)}</pre>
      </Scroll>
      <CopyButton text={text} label={words.copying.copyTitled(label)} />
    </div>
  );
}

export function indented(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
