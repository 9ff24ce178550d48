import { type ReactNode, useEffect } from 'react';
import buttonStyles from '../ui/forms/Button.module.css';
import { Button } from '../ui/forms/Button.tsx';
import { dismiss, hideLater, keep, type Notice, useNotice } from '../ui/page/announce.ts';
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
  useUndoKey(notice);
  return (
    <div className={styles.notices} role="status" aria-live="polite">
      {notice && (
        // biome-ignore lint/a11y/noStaticElementInteractions: nothing is done by pointing at it; it only stays.
        <div
          key={notice.id}
          className={classes(styles.notice, notice.tone === 'bad' && styles.bad)}
          data-notice
          onPointerEnter={keep}
          onPointerLeave={hideLater}
          onFocus={keep}
          onBlur={hideLater}
        >
          {notice.tone === 'bad' ? <WarningIcon /> : <CheckIcon />}
          <span className={styles.text}>
            {notice.text}
            {notice.undo && (
              <Button
                className={styles.undo}
                aria-keyshortcuts={words.shell.undoKey}
                title={words.shell.undoKey}
                onClick={() => undo(notice)}
              >
                {words.shell.undo}
              </Button>
            )}
            {more?.(notice)}
          </span>
          <button
            type="button"
            className={buttonStyles.icon}
            aria-label={words.shell.dismiss}
            onClick={dismiss}
          >
            <CloseIcon />
          </button>
        </div>
      )}
    </div>
  );
}

/** Once: its notice goes with it. */
function undo(notice: Notice): void {
  dismiss();
  notice.undo?.();
}

/** The notice is far from where the change was made, in the order of the Tab key too. */
function useUndoKey(notice: Notice | undefined): void {
  useEffect(() => {
    if (!notice?.undo) return;
    function onKey(event: KeyboardEvent) {
      const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      // There, the key takes back what was typed.
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea');
      if (!isUndo || isTyping || !notice) return;
      event.preventDefault();
      undo(notice);
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [notice]);
}
