import { Button } from '../ui/forms/Button.tsx';
import { Copied } from '../ui/text/CopyButton.tsx';
import { useCopy } from '../ui/text/use-copy.ts';
import { words } from '../words/words.ts';

/** A button that copies a text and says so. */
export function CopyText({ text, children }: { text: string; children: string }) {
  const { copied, copy } = useCopy();
  return (
    <>
      <Button onClick={() => void copy(text)}>{copied ? words.cases.copied : children}</Button>
      <Copied isTrue={copied} />
    </>
  );
}
