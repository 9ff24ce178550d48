import styles from '../../../console/src/shell/Notices.module.css';
import buttonStyles from '../../../console/src/ui/forms/Button.module.css';
import { dismiss, useNotice } from '../../../console/src/ui/page/announce.ts';
import { classes } from '../../../console/src/ui/text/classes.ts';
import { CheckIcon, CloseIcon, WarningIcon } from '../../../console/src/ui/text/icons.tsx';
import { words } from '../words/words.ts';

/** Beside the menu on wide screens, where it covers nothing; at the lower edge of narrow ones. */
export function Notices() {
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
          <span className={styles.text}>{notice.text}</span>
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
