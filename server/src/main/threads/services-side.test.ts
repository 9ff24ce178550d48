import { randomBytes } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { settingsForTest } from '../../../testing/bellhop.ts';
import { silentLog } from '../../../testing/silent-log.ts';
import { systemClock } from '../../base/clock.ts';
import { readConfig } from '../../base/config/config.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { openBackOfficeStore } from '../../store/open.ts';
import { type Environment, openEnvironment } from '../environment.ts';
import { link } from './link.ts';
import type { MainSide } from './main-side.ts';
import { createServicesSide } from './services-side.ts';

/** The services half as its thread opens it, over a real port whose other end answers nothing. */
async function servicesSide() {
  const variables = await settingsForTest({ BELLHOP_ROLES: 'delivery,back-office' });
  const masterKey = randomBytes(32);
  const config = readConfig(variables);
  const main = new AsyncDisposableStack();
  onTestFinished(() => main.disposeAsync());
  const log = silentLog();
  const environments = new Map<EnvironmentName, Environment>();
  for (const name of config.environments) {
    const parts = { name, config, masterKey, clock: systemClock, log };
    environments.set(name, await openEnvironment(parts, main));
  }
  // The main half makes its tables.
  const store = await openBackOfficeStore({ config, environments, clock: systemClock, log });
  main.defer(() => store.close());
  const { port1, port2 } = new MessageChannel();
  onTestFinished(() => port1.close());
  port2.on('message', () => {});
  const closing = new AsyncDisposableStack();
  const side = createServicesSide({
    main: () => link<object, MainSide>(port1, {}),
    onMainLost: () => {},
    closing,
  });
  const data = { variables, masterKey: masterKey.toString('base64'), partnerApiAddresses: {} };
  return { side, data, closing };
}

test('stop closes everything even if closers fail, and reports each failure', async () => {
  const { side, data, closing } = await servicesSide();
  let isFirstClosed = false;
  closing.defer(() => {
    isFirstClosed = true;
  });
  const { backOffice } = await side.start(data);
  expect((await fetch(`${backOffice}/health/live`)).status).toBe(200);
  closing.defer(() => Promise.reject(new Error('one could not be saved')));
  closing.defer(() => Promise.reject(new Error('another could not be saved')));
  await expect(side.stop()).rejects.toThrow('another could not be saved; one could not be saved');
  await expect(fetch(`${backOffice}/health/live`)).rejects.toThrow('fetch failed');
  expect(isFirstClosed).toBe(true);
});
