import buttonStyles from '../ui/forms/Button.module.css';
import { dismiss, useNotices } from '../ui/page/announce.ts';
import { CloseIcon } from '../ui/text/icons.tsx';
import styles from './Notices.module.css';

export function Notices() {
  const notices = useNotices();
  return (
    <div className={styles.notices} role="status" aria-live="polite">
      {notices.map(({ id, text }) => (
        <div key={id} className={styles.notice}>
          <span>{text}</span>
          <button
            type="button"
            className={buttonStyles.icon}
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
