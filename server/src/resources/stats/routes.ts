/** What the console's first page shows. Programs can read it too. */

import type { EnvironmentName } from '../../base/config/settings.ts';
import { query } from '../forms.ts';
import { route } from '../route.ts';
import { Type } from '../type.ts';
import { StatsSpan } from './chart.ts';
import { Stats, type StatsReader } from './stats.ts';

export function statsRoutes(readers: ReadonlyMap<EnvironmentName, StatsReader>) {
  return [
    route(
      'getStats',
      'GET stats',
      'Show delivery results, backlog, failures, refused keys and recent changes',
      { may: 'read', query: query({ span: Type.Optional(StatsSpan) }), reply: Stats },
      ({ environment, query }) =>
        (readers.get(environment.name) as StatsReader)(query.span ?? 'hour'),
    ),
  ];
}
