/** Text as it was sent or received: never markup, JSON laid out where it is JSON. */
import { CopyButton } from './CopyButton.tsx';
import { Scroll } from './Scroll.tsx';

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div className="code">
      <Scroll label={label}>
        <pre>{laidOut(text)}</pre>
      </Scroll>
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
    </div>
  );
}

export function laidOut(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
