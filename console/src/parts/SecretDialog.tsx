/** A secret that the server shows this once: it stays until someone says that it is kept. */
import { Button } from './Button.tsx';
import { CopyButton } from './CopyButton.tsx';
import { Dialog } from './Dialog.tsx';
import { Note } from './Note.tsx';

interface Props {
  title: string;
  /** Names and values to hand over; the secret among them. */
  lines: [name: string, value: string][];
  advice: string;
  onClose(): void;
}

export function SecretDialog({ title, lines, advice, onClose }: Props) {
  return (
    <Dialog title={title} open onClose={onClose} mustAnswer>
      <Note kind="warn">{advice}</Note>
      <dl className="secret">
        {lines.map(([name, value]) => (
          <div key={name} className="secret-line">
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
              <CopyButton text={value} label={`Copy ${name}`} />
            </dd>
          </div>
        ))}
      </dl>
      <div className="form-buttons">
        <Button kind="primary" onClick={onClose}>
          I have kept it
        </Button>
      </div>
    </Dialog>
  );
}
