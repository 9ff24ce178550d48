import type { PowerCutOptions, PowerCutResult } from './power-cut.ts';

const BROKEN_SHOWN = 10;

export function writePowerCutReport(options: PowerCutOptions, result: PowerCutResult): string {
  const { writes, syncs, promises, checked, unconfirmed, lost, broken, folder } = result;
  const count = (n: number) => n.toLocaleString('en');
  const lines = [
    '',
    `  recorded: ${count(writes)} writes, ${count(syncs)} syncs`,
    `  promised: ${Object.entries(promises)
      .map(([name, n]) => `${count(n)} ${name}`)
      .join(', ')}`,
    `  ${count(options.images)} images: ${count(unconfirmed)} writes not confirmed by a sync, ${count(lost)} of them lost`,
    `  promises looked for in the images: ${count(checked)}`,
    '',
  ];
  if (broken.length === 0) {
    lines.push(`Clean: every image opens, and every promise was kept. Seed ${options.seed}.`);
  } else {
    lines.push(`${count(broken.length)} promises were broken:`, ...broken.slice(0, BROKEN_SHOWN));
    lines.push('', `The recording and the images are kept in ${folder}. Seed ${options.seed}.`);
  }
  return lines.join('\n');
}
