import { useState } from 'react';
import buttonStyles from '../forms/Button.module.css';
import { announce } from '../page/announce.ts';
import styles from './CopyButton.module.css';
import { CheckIcon, CopyIcon } from './icons.tsx';

const SHOWN_MS = 2_000;

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied.');
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      announce('The browser does not allow copying here. Select the text and copy it.');
    }
  }
  return (
    <button
      type="button"
      className={buttonStyles.icon}
      aria-label={label}
      title={label}
      onClick={copy}
    >
      {copied ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}

/** An id in a fixed-width font, with a button that copies it. */
export function Id({ id, what }: { id: string; what: string }) {
  return (
    <span className={styles.id}>
      <code>{id}</code>
      <CopyButton text={id} label={`Copy ${what}`} />
    </span>
  );
}
