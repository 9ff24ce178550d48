/** Prints a line for each of the given files that is damaged. */
import { findDamage } from './damage.ts';

for (const file of process.argv.slice(2)) {
  const finding = findDamage(file);
  if (finding !== undefined) console.log(`${file}: ${finding.replaceAll('\n', ' ')}`);
}
