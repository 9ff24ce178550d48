/**
 * A disk that is full, read-only or broken. Every write is refused with one code and one sentence,
 * readiness and the log say the same, and calls that need no write still work. Bellhop recovers by
 * itself when the disk does.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { storageTroubles } from '../../src/store/storage-trouble.ts';
import { type BellhopProcess, spawnBellhop, startBellhop } from '../../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../../testing/engines.ts';
import { eventually } from '../../testing/eventually.ts';
import {
  changePartners,
  expectRefusal,
  notReady,
  PARTNERS,
  readiness,
  untilReady,
  untilRefused,
  writes,
} from '../storage-refusals.ts';
import { canMount, tinyDisk } from '../tiny-disk.ts';

// These tests start whole processes, which is slow on a busy machine.
/** Only the parts under test, so that it starts quickly. */
const ALONE = { BELLHOP_ENVIRONMENTS: 'production' };

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

/** Lines of level warn and error, from now on. */
function logOf({ child }: BellhopProcess): () => { reason?: string; msg: string }[] {
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  return () =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
}

test.skipIf(!canMount)(
  'a full disk is reported everywhere, once in the log, until there is space',
  async () => {
    const disk = tinyDisk();
    const bellhop = await spawnBellhop({
      ...ALONE,
      BELLHOP_DATA_DIR: join(disk.folder, 'data'),
      BELLHOP_LOG_LEVEL: 'warn',
    });
    const log = logOf(bellhop);
    const { partnerId, authorization } = await bellhop.newKey('production');
    const call = async (endpoint: string) => {
      const url = `${bellhop.addresses.production}/api/b2b/v3/${endpoint}`;
      const reply = await fetch(url, { headers: { authorization } });
      return [reply.status, await reply.text()] as const;
    };
    disk.fill();
    // A call that must be journaled before the reply gets a 500; that alone makes it not ready.
    const [, text] = await eventually(
      () => call('overview/'),
      ([status]) => status === 500,
    );
    expect(text).toContain('unknown');
    const { status, body } = await readiness(bellhop);
    expect([status, body.troubles[0]]).toEqual([
      503,
      `production: ${storageTroubles.storage_full}`,
    ]);
    for (let i = 0; i < 50; i++) {
      expectRefusal(await untilRefused(() => changePartners(bellhop)), 'storage_full');
    }
    for (const write of writes(bellhop, partnerId)) {
      expectRefusal(await untilRefused(write), 'storage_full');
    }
    expect(await bellhop.support('GET', PARTNERS)).toMatchObject({ status: 200 });
    expect((await call('hotel/info/'))[0]).toBe(501);

    disk.makeRoom();
    await untilReady(bellhop);
    expect(await changePartners(bellhop)).toMatchObject({ status: 201 });
    expect((await call('overview/'))[0]).toBe(200);
    await bellhop.stop();
    expect(bellhop.child.exitCode).toBe(0);
    // One from the partner API's thread and one from the back office's.
    const full = log().filter(({ msg }) => msg === storageTroubles.storage_full);
    expect(full.length).toBeLessThanOrEqual(2);
    for (const { reason } of full) expect(reason).toMatch(/^SQLITE_(FULL|IOERR_SHMSIZE)$/);
    const again = log().filter(({ msg }) => msg === 'The database can be written to again.');
    expect(again).toHaveLength(full.length);
    expect(log().length).toBe(full.length + again.length);
  },
);

test.skipIf(!canMount)(
  'a start on a full disk gives the reason and leaves no incomplete key file',
  async () => {
    const disk = tinyDisk();
    const settings = { ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR: join(disk.folder, 'data') };
    disk.fill();
    await expect(startBellhop(settings)).rejects.toThrow(
      /^The master key cannot be written to .*ENOSPC/,
    );
    expect(existsSync(join(settings.BELLHOP_DATA_DIR, 'master.key'))).toBe(false);
    disk.makeRoom();
    await (await startBellhop(settings)).stop();
    disk.fill();
    await expect(startBellhop(settings)).rejects.toThrow(
      /^The database in \S+ cannot be opened \(.*\); free some space on its disk and start Bellhop/,
    );
  },
);

test.skipIf(!hasPrlimit)(
  'a disk that fails to write is distinguished from a full one',
  async () => {
    const bellhop = await spawnBellhop({
      ...ALONE,
      ...BACK_OFFICE_ONLY,
      BELLHOP_LOG_LEVEL: 'warn',
    });
    const log = logOf(bellhop);
    const { partnerId } = await bellhop.newKey('production');
    const limit = (fsize: string) =>
      execFileSync('prlimit', ['--pid', String(bellhop.child.pid), `--fsize=${fsize}:`]);
    limit('1');
    for (const write of writes(bellhop, partnerId)) expectRefusal(await write(), 'storage_failing');
    expect(await readiness(bellhop)).toMatchObject(notReady('storage_failing'));
    limit('unlimited');
    await untilReady(bellhop);
    expect(await changePartners(bellhop)).toMatchObject({ status: 201 });
    await bellhop.stop();
    expect(log().map(({ reason, msg }) => reason ?? msg)).toEqual([
      'SQLITE_IOERR',
      'The database can be written to again.',
    ]);
  },
);
