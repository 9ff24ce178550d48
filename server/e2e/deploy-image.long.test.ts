/**
 * The container image, really built and started. It takes minutes and needs an engine, so it runs only when asked to:
 * BUILD_IMAGE=on npx vitest run server/e2e/deploy-image.long.test.ts
 */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { readText } from '../testing/deploy-files.ts';
import { hardened, podman, provideBaseImage, whyNoImage } from '../testing/podman.ts';
import { repository } from '../testing/shell-in-markdown.ts';

const MOST_MEGABYTES = 400;
const IMAGE = 'localhost/bellhop-test';
const why = whyNoImage();
if (why) console.log(`Skipping the build of the container image: ${why}.`);

test.skipIf(why !== null)(
  'the image is built, starts without rights, is healthy and drains',
  async () => {
    const base = /^FROM (node:\S+)$/m.exec(readText('deploy/Dockerfile'))?.[1];
    await provideBaseImage(`docker.io/library/${base}`);
    // Docker's format, because the other one has no health check. With this machine's network, for npm.
    await podman(
      ...['build', '--pull=never', '--format=docker', '--isolation=chroot', '--network=host'],
      ...['--file', 'deploy/Dockerfile', '--tag', IMAGE, repository],
    );
    const bytes = Number(await podman('image', 'inspect', '--format', '{{.Size}}', IMAGE));
    expect(bytes / 1e6).toBeLessThan(MOST_MEGABYTES);

    const name = `bellhop-test-${randomBytes(4).toString('hex')}`;
    onTestFinished(async () => void (await podman('rm', '--force', '--volumes', name)));
    const startedMs = performance.now();
    // Its own settings and ports, in a network of its own.
    await podman('run', '--detach', '--name', name, '--network=none', ...hardened(), IMAGE);
    const ready = expect.stringContaining('\nready {');
    await expect.poll(() => podman('logs', name), { timeout: 60_000 }).toEqual(ready);
    const readyMs = Math.round(performance.now() - startedMs);
    console.log(`The image has ${Math.round(bytes / 1e6)} MB, and was ready after ${readyMs} ms.`);

    await podman('healthcheck', 'run', name);
    const inside = (command: string) => podman('exec', name, 'sh', '-c', command);
    expect(await inside('id -u')).toBe('1000');
    expect(await inside('grep -E "CapEff|NoNewPrivs" /proc/1/status')).toMatch(
      /CapEff:\s+0000000000000000\s+NoNewPrivs:\s+1/,
    );
    expect(await inside('grep Seccomp: /proc/1/status')).toMatch(/\s2$/);
    await expect(inside('touch /opt/bellhop/server/x')).rejects.toThrow('Read-only file system');
    // Tests and development tools stay outside.
    expect(await inside('ls node_modules | grep -cE "^(vitest|typescript|node)$" || true')).toBe(
      '0',
    );
    expect(await inside('find server -name "*.test.ts" | wc -l')).toBe('0');

    await podman('stop', name);
    expect(await podman('inspect', '--format', '{{.State.ExitCode}}', name)).toBe('0');
  },
  1_200_000,
);
