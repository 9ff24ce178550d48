import { words } from '../../words/words.ts';
import { Button } from '../forms/Button.tsx';
import { Copied } from './CopyButton.tsx';
import styles from './CurlButton.module.css';
import { useCopy } from './use-copy.ts';

/** Copies a request as a curl command. */
export function CurlButton({ command, what }: { command: string; what: string }) {
  const { copied, copy } = useCopy();
  return (
    <>
      <Button
        kind="quiet"
        className={styles.curl}
        aria-label={words.copying.asCurlOf(what)}
        onClick={() => void copy(command)}
      >
        {copied ? words.copying.copied : words.copying.asCurl}
      </Button>
      <Copied isTrue={copied} />
    </>
  );
}
