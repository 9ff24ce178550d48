/** What a key may call: the six fields of the overview, and how much of each limit is used now. */

import { pathOf } from '@bellhop/rules/endpoint-path';
import { useState } from 'react';
import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import { TextField } from '../../../../console/src/ui/forms/TextField.tsx';
import { useFolds } from '../../../../console/src/ui/lists/groups.ts';
import { type Column, Table } from '../../../../console/src/ui/lists/Table.tsx';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { Badge } from '../../../../console/src/ui/text/Badge.tsx';
import { relativeTime } from '../../../../console/src/ui/text/durations.ts';
import { useNow } from '../../../../console/src/ui/text/Time.tsx';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import {
  callsByEndpoint,
  matchesText,
  usedFirst,
} from '../../../../console/src/widgets/endpoints/by-area.ts';
import { limitInWords } from '../../../../console/src/widgets/limit-words.ts';
import { UsageBar } from '../../../../console/src/widgets/UsageBar.tsx';
import type { Limit, UsageHistoryItem } from '../../api/types.ts';
import { Stack } from '../../shell/Stack.tsx';
import { words } from '../../words/words.ts';

interface Props {
  limits: Limit[];
  /** Of the last 7 days. */
  history: readonly UsageHistoryItem[];
  /** Undefined for people who may not ask for another limit. */
  onAsk: ((limit: Limit) => void) | undefined;
}

export function LimitTable({ limits, history, onAsk }: Props) {
  const [text, setText] = useState('');
  const shown = limits.filter(({ endpoint }) => matchesText(endpoint, text));
  const calls = callsByEndpoint(history);
  const groups = usedFirst(shown, ({ endpoint, used }) => calls.get(endpoint)?.calls ?? used);
  const folds = useFolds(groups, text !== '');
  return (
    <Stack>
      <TextField label={words.limits.find} type="search" value={text} onChange={setText} />
      <Table
        label={words.limits.title}
        columns={onAsk ? [...columns, askingFor(onAsk)] : columns}
        rows={shown}
        groups={groups}
        folds={folds}
        keyOf={({ endpoint }) => endpoint}
        empty={<Empty title={words.limits.noneFound} />}
        isTall
      />
    </Stack>
  );
}

const columns: Column<Limit>[] = [
  {
    head: words.limits.endpoint,
    cell: ({ endpoint }) => (
      <code className={textStyles.strong} title={endpoint}>
        {pathOf(endpoint)}
      </code>
    ),
  },
  { head: words.limits.limit, cell: (limit) => <InWords limit={limit} />, phone: 'lead' },
  {
    head: words.limits.used,
    cell: (limit) => <UsageBar usage={limit} path={limit.endpoint} />,
    phone: 'second',
  },
  {
    head: words.limits.free,
    cell: ({ remaining }) => remaining ?? '–',
    numeric: true,
    phone: 'hidden',
  },
  { head: words.limits.frees, cell: (limit) => <Frees limit={limit} />, phone: 'hidden' },
  {
    head: words.limits.active,
    cell: ({ is_active }) =>
      is_active ? words.limits.yes : <Badge tone="warn">{words.limits.no}</Badge>,
  },
  {
    head: words.limits.debug,
    cell: ({ is_debug_mode }) => (is_debug_mode ? words.limits.yes : words.limits.no),
  },
];

function askingFor(onAsk: (limit: Limit) => void): Column<Limit> {
  return {
    head: words.limits.more,
    cell: (limit) =>
      limit.is_limited && (
        <Button kind="quiet" onClick={() => onAsk(limit)}>
          {words.limits.ask}
          <span className={textStyles.visuallyHidden}>
            {words.limits.of(pathOf(limit.endpoint))}
          </span>
        </Button>
      ),
  };
}

/** The numbers of an endpoint without a limit are part of the overview too. */
function InWords({ limit }: { limit: Limit }) {
  if (limit.is_limited) return limitInWords(limit);
  const numbers = limitInWords({ ...limit, is_limited: true });
  return (
    <>
      {words.limits.none} <span className={textStyles.dim}>{words.limits.unenforced(numbers)}</span>
    </>
  );
}

/** When the next call is allowed. */
function Frees({ limit: { remaining, resets_at } }: { limit: Limit }) {
  const now = useNow(1_000);
  if (remaining === null) return '–';
  if (remaining > 0 || !resets_at || Date.parse(resets_at) <= now) return words.limits.now;
  return relativeTime(resets_at, now);
}
