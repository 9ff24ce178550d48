import { words } from '../../words/words.ts';
import buttonStyles from '../forms/Button.module.css';
import styles from './CopyButton.module.css';
import { CheckIcon, CopyIcon } from './icons.tsx';
import textStyles from './text.module.css';
import { useCopy } from './use-copy.ts';

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { copied, copy } = useCopy();
  return (
    <>
      <button
        type="button"
        className={buttonStyles.icon}
        aria-label={label}
        title={label}
        onClick={() => void copy(text)}
      >
        {copied ? <CheckIcon /> : <CopyIcon />}
      </button>
      <Copied isTrue={copied} />
    </>
  );
}

/** For screen readers; the button itself shows it to everyone else. */
export function Copied({ isTrue }: { isTrue: boolean }) {
  return (
    <span className={textStyles.visuallyHidden} role="status">
      {isTrue && words.copying.spoken}
    </span>
  );
}

/** An id in a fixed-width font, with a button that copies it. */
export function Id({ id, what }: { id: string; what: string }) {
  return (
    <span className={styles.id}>
      <code>{id}</code>
      <CopyButton text={id} label={words.copying.copy(what)} />
    </span>
  );
}
