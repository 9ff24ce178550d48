/** The list of settings that the Helm chart checks its values against (`npm run docs`), from the tables that the server reads. */
import { allSettings, canBeInFile } from './config.ts';
import { fileVariable } from './secret-files.ts';
import type { Formed } from './values.ts';

type Listed = ReturnType<typeof allSettings>[number];

function formOf({ variable, setting: { read } }: Listed): [string, string][] {
  return 'form' in read ? [[variable, (read as Formed<unknown>).form]] : [];
}

export function chartSettings(): string {
  const all = allSettings();
  const isSecret = ({ setting }: (typeof all)[number]) => setting.secret === true;
  const names = (some: typeof all) => some.map(({ variable }) => variable);
  const list = {
    settings: names(all.filter((one) => !isSecret(one))),
    secrets: names(all.filter(isSecret)),
    forms: Object.fromEntries(all.flatMap(formOf)),
    files: names(all.filter(({ setting }) => canBeInFile(setting))).map(fileVariable),
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}
