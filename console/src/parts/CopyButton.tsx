import { useState } from 'react';
import { announce } from '../announce.ts';
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
    <button type="button" className="icon-button" aria-label={label} title={label} onClick={copy}>
      {copied ? <CheckIcon /> : <CopyIcon />}
    </button>
  );
}

/** An id as one copies it: in fixed width, with the button beside it. */
export function Id({ id, what }: { id: string; what: string }) {
  return (
    <span className="id">
      <code>{id}</code>
      <CopyButton text={id} label={`Copy ${what}`} />
    </span>
  );
}
