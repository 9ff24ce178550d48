import buttonStyles from '../ui/forms/Button.module.css';
import { dismiss, useNotice } from '../ui/page/announce.ts';
import { CurlButton } from '../ui/text/CurlButton.tsx';
import { classes } from '../ui/text/classes.ts';
import { apiCall } from '../ui/text/curl.ts';
import { CheckIcon, CloseIcon, WarningIcon } from '../ui/text/icons.tsx';
import styles from './Notices.module.css';

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
          <span className={styles.text}>
            {notice.text}
            {notice.change && (
              <CurlButton command={apiCall(location.origin, notice.change)} what="this action" />
            )}
          </span>
          <button
            type="button"
            className={buttonStyles.icon}
            aria-label="Dismiss"
            onClick={() => dismiss(notice.id)}
          >
            <CloseIcon />
          </button>
        </div>
      )}
    </div>
  );
}
