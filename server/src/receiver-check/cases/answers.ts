import type { FailureCode } from '../../receiver/failure-codes.ts';
import type { LineTexts } from '../line.ts';

/** Always sent first: whatever makes it fail would make all the others fail. */
export const answersLine: LineTexts = {
  name: 'answers',
  group: 'accepts',
  title: 'can be reached',
  sent: 'A genuine webhook.',
  expected: 'Any HTTP reply.',
  why: 'A receiver that cannot be reached gets nothing. A failed webhook is sent again for 7 days, then given up.',
  fix: 'Check the host name, http or https, the port, the firewall and the certificate (from a public authority, with its intermediates), and that the server is running.',
};

const TLS_SETTINGS =
  'Check the TLS settings: TLS 1.2 or later, no client certificate required, and a certificate from a public authority.';

/** What to do where the cause is known. */
export const fixes: Readonly<Partial<Record<FailureCode, string>>> = {
  dns: 'Check the host name for typos, and that it has an address in the DNS.',
  blocked_address: 'Give the receiver an address that the internet can reach.',
  plain_http: 'Write https in the URL.',
  reserved_port: 'Use port 443, or one from 1024 on.',
  connection_refused: 'Start the receiver, or correct the port in the URL.',
  connection_reset:
    "Look at the receiver's log: it accepted the connection and closed it. If the log has nothing, look for a firewall in between.",
  unreachable: "Check that the receiver's machine and its network are up.",
  tls: TLS_SETTINGS,
  tls_closed: TLS_SETTINGS,
  no_tls: 'Correct the port in the URL, or enable TLS on this one.',
  https_only: 'Write https in the URL.',
  certificate_self_signed: 'Install a certificate from a public authority.',
  certificate_untrusted:
    'Install a certificate from a public authority, together with its intermediate certificates.',
  certificate_expired: 'Renew the certificate.',
  certificate_not_yet_valid: 'Install a certificate that is valid today.',
  certificate_wrong_name: 'Install a certificate for the host name in the URL.',
  http2_only: 'Enable HTTP/1.1 on this port, in the receiver or in a proxy in front of it.',
  protocol: 'Check the port in the URL: another program may listen there.',
};
