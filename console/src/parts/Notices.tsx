import { dismiss, useNotices } from '../announce.ts';
import { CloseIcon } from './icons.tsx';

export function Notices() {
  const notices = useNotices();
  return (
    <div className="notices" role="status" aria-live="polite">
      {notices.map(({ id, text }) => (
        <div key={id} className="notice">
          <span>{text}</span>
          <button
            type="button"
            className="icon-button"
            aria-label="Dismiss"
            onClick={() => dismiss(id)}
          >
            <CloseIcon />
          </button>
        </div>
      ))}
    </div>
  );
}
