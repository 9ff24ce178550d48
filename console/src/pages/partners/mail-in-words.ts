/** What became of a mail to somebody at a partner. */
import type { Notice } from '../../api/types.ts';

export function mailInWords(mail: Notice['mails'][number]): string {
  const { recipient, state, tries, error } = mail;
  if (state === 'sent') return `Mailed to ${recipient}.`;
  const why = error === null ? '' : ` ${error}`;
  return state === 'waiting'
    ? `The mail to ${recipient} waits, tried ${tries}×.${why}`
    : `The mail to ${recipient} was given up.${why}`;
}
