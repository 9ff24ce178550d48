import type { ReactNode } from 'react';
import buttonStyles from '../ui/forms/Button.module.css';
import { dismiss, type Notice, useNotice } from '../ui/page/announce.ts';
import { classes } from '../ui/text/classes.ts';
import { CheckIcon, CloseIcon, WarningIcon } from '../ui/text/icons.tsx';
import { words } from '../words/words.ts';
import styles from './Notices.module.css';

/**
 * Beside the menu on wide screens, where it covers nothing; at the lower edge of narrow ones. `more` follows the text of a
 * notice.
 */
export function Notices({ more }: { more?: (notice: Notice) => ReactNode }) {
  const notice = useNotice();
  return (
    <div className={styles.notices} role="status" aria-live="polite">
      {notice && (
        <div
          key={notice.id}
          className={classes(styles.notice, notice.tone === 'bad' && styles.bad)}
          data-notice
        >
          {notice.tone === 'bad' ? <WarningIcon /> : <CheckIcon />}
          <span className={styles.text}>
            {notice.text}
            {more?.(notice)}
          </span>
          <button
            type="button"
            className={buttonStyles.icon}
            aria-label={words.shell.dismiss}
            onClick={() => dismiss(notice.id)}
          >
            <CloseIcon />
          </button>
        </div>
      )}
    </div>
  );
}
