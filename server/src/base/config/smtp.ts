/** The mail server, the sender of mails, and the one rule for addresses of mail. */
import { BadValue, url } from './values.ts';

/**
 * What most people have: letters, digits and the usual signs, then a domain with a dot. Quoted names, comments, literal
 * addresses and letters beyond ASCII are left out, so an address can never be taken for more than one, or for a header.
 */
const PATTERN =
  /^[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+(?:\.[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;
/** For schemas. */
export const MAIL_ADDRESS = PATTERN.source;
/** RFC 5321 allows no longer ones. */
export const LONGEST_MAIL_ADDRESS = 254;

export interface SmtpServer {
  host: string;
  port: number;
  /** From the first byte; otherwise as soon as the server offers it. */
  isTls: boolean;
  user: string | undefined;
  password: string | undefined;
}

/** `smtp://[user:password@]host[:port]`. No message repeats the text, because of the password. */
export function smtpUrl(text: string): SmtpServer {
  const parsed = new URL(url('smtp:', 'smtps:')(text));
  if (parsed.search || parsed.hash || !['', '/'].includes(parsed.pathname)) {
    throw new BadValue('must have nothing after the host and the port');
  }
  const isTls = parsed.protocol === 'smtps:';
  const [user, password] = [parsed.username, parsed.password].map(decoded);
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: parsed.port === '' ? (isTls ? 465 : 587) : Number(parsed.port),
    isTls,
    user: user || undefined,
    password: password || undefined,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadValue('must have "%" in the user or the password written as %25');
  }
}

export interface MailSender {
  name: string;
  address: string;
}

/** `address`, or `Name <address>`. */
export function mailSender(text: string): MailSender {
  const [, name = '', inBrackets] = /^([^<>"\p{C}]*)<([^<>]+)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  if (!isMailAddress(address)) {
    throw new BadValue('must be a mail address, or a name followed by one in angle brackets');
  }
  return { name: name.trim(), address };
}

export function isMailAddress(text: string): boolean {
  return text.length <= LONGEST_MAIL_ADDRESS && PATTERN.test(text);
}
