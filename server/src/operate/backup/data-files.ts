/** The files of an embedded data folder that belong into a backup. */
import { type EnvironmentName, environmentNames } from '../../base/config/settings.ts';

export const databaseOf = (name: EnvironmentName) => `${name}/bellhop.db`;

export const BACK_OFFICES = ['back-office.db', 'back-office.sandbox.db'];
export const DATABASES = [
  ...environmentNames.flatMap((name) => [databaseOf(name), `${name}/admissions.db`]),
  ...BACK_OFFICES,
];
export const MASTER_KEY = 'master.key';
export const SECRETS = [MASTER_KEY, 'admin.token', 'admin.sandbox.token'];

export const BACKED_UP: readonly string[] = [...DATABASES, ...SECRETS];
