/** What became of a mail to somebody at a partner. */
import type { Notice } from '../../api/types.ts';

export function mailInWords(mail: Notice['mails'][number]): string {
  const { recipient, state, tries, error } = mail;
  if (state === 'sent') return `Mailed to ${recipient}.`;
  const why = error === null ? '' : ` ${error}`;
  if (state === 'given_up') return `The mail to ${recipient} was given up.${why}`;
  return `The mail to ${recipient} waits${tries === 0 ? '' : `, tried ${tries}×`}.${why}`;
}
