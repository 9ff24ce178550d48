/**
 * The order of the test files: by chance, so that none can count on another having run before it, but those that
 * start browsers and servers before the others, so that the run does not end with one file that takes a minute.
 */
import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const SLOW = /\/(e2e|store)\/|\.long\.test\.ts$/;

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const places = new Map(files.map((file) => [file, place(file.moduleId, seed)]));
    return files.toSorted((a, b) => ((places.get(a) ?? '') < (places.get(b) ?? '') ? -1 : 1));
  }
}

function place(file: string, seed: number): string {
  const chance = createHash('sha1').update(`${seed} ${file}`).digest('hex');
  return `${SLOW.test(file) ? 1 : 2} ${chance}`;
}
