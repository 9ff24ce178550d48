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
