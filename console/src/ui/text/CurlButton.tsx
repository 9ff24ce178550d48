import { Button } from '../forms/Button.tsx';
import { Copied } from './CopyButton.tsx';
import textStyles from './text.module.css';
import { useCopy } from './use-copy.ts';

/** Copies a request as a curl command. */
export function CurlButton({ command, what }: { command: string; what: string }) {
  const { copied, copy } = useCopy();
  return (
    <>
      <Button kind="quiet" onClick={() => void copy(command)}>
        {copied ? 'Copied' : 'Copy as curl'}
        <span className={textStyles.visuallyHidden}>: {what}</span>
      </Button>
      <Copied isTrue={copied} />
    </>
  );
}
