/**
 * The user that a server runs as when the tests run as root, as they do in most containers. PostgreSQL
 * refuses to run as root, and nothing that a test starts needs to be root.
 */
import { readFileSync } from 'node:fs';

export interface User {
  uid: number;
  gid: number;
}

/** The ids of `nobody` on every Linux, for images without an entry for it. */
const NOBODY: User = { uid: 65534, gid: 65534 };

/** Undefined if we are not root; then a server runs as the current user. */
export function unprivilegedUser(accounts: string[]): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const passwd = readFileSync('/etc/passwd', 'utf8');
  for (const account of [...accounts, 'nobody']) {
    const [, uid, gid] = passwd.match(new RegExp(`^${account}:[^:]*:(\\d+):(\\d+):`, 'm')) ?? [];
    if (uid && gid && uid !== '0') return { uid: Number(uid), gid: Number(gid) };
  }
  return NOBODY;
}
