/** The limits that are used most right now. */

import { pathOf } from '@bellhop/rules/endpoint-path';
import { Link } from '@tanstack/react-router';
import rowsStyles from '../../../../console/src/ui/lists/Rows.module.css';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { Section } from '../../../../console/src/ui/page/Section.tsx';
import { UsageBar } from '../../../../console/src/widgets/UsageBar.tsx';
import type { HomeKey } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const SHOWN = 3;

export function HighestUse({ keys }: { keys: readonly HomeKey[] }) {
  const { links } = useView();
  const used = keys
    .flatMap(({ key, limits_in_use }) => limits_in_use.map((limit) => ({ key, limit })))
    .sort((a, b) => shareOf(b.limit) - shareOf(a.limit))
    .slice(0, SHOWN);
  return (
    <Section
      title={words.home.limits}
      aside={<Link {...links.limits()}>{words.home.allLimits}</Link>}
    >
      {used.length === 0 ? (
        <Empty title={words.home.nothingUsed} />
      ) : (
        <ul className={rowsStyles.rows}>
          {used.map(({ key, limit }) => (
            <li key={`${key.key_id} ${limit.endpoint}`} className={rowsStyles.row}>
              <code>{pathOf(limit.endpoint)}</code>
              <UsageBar usage={limit} path={limit.endpoint} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function shareOf({ used, requests_number }: { used: number; requests_number: number }): number {
  return used / requests_number;
}
