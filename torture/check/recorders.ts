/** Which node recorded which attempt, according to the nodes' logs. */
import { readFileSync } from 'node:fs';
import type { Ledger } from '../ledger.ts';
import type { BellhopNode } from '../nodes.ts';
import type { Attempt, Delivery } from './deliveries.ts';

export interface Recorders {
  /** Undefined if the node was killed before it wrote the line. */
  of(delivery: Delivery, attempt: Attempt): string | undefined;
}

interface AttemptLine {
  environment: string;
  delivery_id: string;
  attempt: number;
}

export function recorders(nodes: readonly BellhopNode[], ledger: Ledger): Recorders {
  const names = new Map<string, string>();
  for (const { name, logFile } of nodes) {
    for (const line of readFileSync(logFile, 'utf8').split('\n')) {
      const logged = parse(line);
      if (!logged) continue;
      const key = `${logged.environment} ${logged.delivery_id} ${logged.attempt}`;
      const other = names.get(key);
      // The record of the first may have been lost with the history that it was in.
      if (other && ledger.failoversWithLag.length === 0)
        ledger.violate('an attempt is recorded once', `${key}: by ${other} and ${name}`);
      names.set(key, name);
    }
  }
  return {
    of: ({ environment, id }, { number }) => names.get(`${environment} ${id} ${number}`),
  };
}

function parse(line: string): AttemptLine | undefined {
  if (!line.endsWith('"msg":"attempt"}')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    // The line begins with what the previous process wrote when it was killed.
    return undefined;
  }
}
