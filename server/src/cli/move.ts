/** `bellhop move`: an environment moves to another database. */
import { Command, Option } from '@commander-js/extra-typings';
import { type Config, databaseVariable, readConfig } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { createLog } from '../base/log.ts';
import type { MovedTable } from '../operate/move/move.ts';
import { isPostgresUrl, shownAddress } from '../operate/move/move-end.ts';
import { runMove, runUndo } from '../operate/move/run-move.ts';
import { examples } from './help-style.ts';
import { environmentOption, jsonOption } from './options.ts';
import { reportProgress, table } from './terminal.ts';

export const moveCommand = new Command()
  .description(
    'Moves everything of one environment to another database: from the embedded one to an empty PostgreSQL database, or back. Bellhop must be stopped. It counts every table, and afterwards the old database can no longer be used by accident.',
  )
  .requiredOption(
    '--to <place>',
    'an empty PostgreSQL database (postgres://…; its password may be in PGPASSWORD), or a data folder',
  )
  .addOption(
    new Option('--from <place>', 'a data folder, or a PostgreSQL database').default(
      undefined,
      'BELLHOP_DATA_DIR',
    ),
  )
  .addOption(environmentOption('the environment to move', 'production'))
  .option('--undo', 'give the old database back, if nobody has used the new one')
  .addOption(jsonOption('print the counts as JSON'))
  .addHelpText(
    'after',
    examples(
      'bellhop move --to postgres://bellhop@db.internal/bellhop_production',
      'bellhop move --environment sandbox --to postgres://bellhop@db.internal/bellhop_sandbox',
      'bellhop move --from postgres://bellhop@db.internal/bellhop_production --to ./data-new',
      'bellhop move --undo --to postgres://bellhop@db.internal/bellhop_production',
    ),
  )
  .action(async ({ to, from, environment, undo, json }) => {
    const config = readConfig(process.env);
    const log = createLog('error');
    const report = reportProgress('rows');
    const request = {
      environment,
      from: from ?? config.dataDir,
      to,
      nowMs: Date.now(),
      log,
      onProgress: (name: string, done: number, total: number) => report.show(done, total, name),
    };
    try {
      if (undo) {
        await runUndo(request);
        console.log(`Undone: ${environment} is in ${shownAddress(request.from)} again.`);
        return;
      }
      const moved = await runMove(request);
      report.end();
      if (json) console.log(JSON.stringify(moved ?? [], null, 2));
      else console.log(summary(environment, config, to, moved));
    } finally {
      report.end();
      await log.end();
    }
  });

function summary(
  environment: EnvironmentName,
  config: Config,
  to: string,
  moved: MovedTable[] | undefined,
): string {
  const variable = databaseVariable(environment);
  const rows = (moved ?? [])
    .filter((one) => one.rows > 0)
    .map((one) => [one.table, one.rows.toLocaleString('en')]);
  const counts = moved ? [table(['moved', 'rows'], rows)] : [];
  const next = isPostgresUrl(to)
    ? [
        `Set ${variable} to the new database${config.masterKey ? '' : `, and BELLHOP_MASTER_KEY to the first line of ${config.dataDir}/master.key`}, then start Bellhop.`,
      ]
    : [`Unset ${variable}, set BELLHOP_DATA_DIR to ${to}, then start Bellhop.`];
  return [
    ...counts,
    `${environment} is now in ${shownAddress(to)}. The old database is refused from now on.`,
    ...next,
  ].join('\n');
}
