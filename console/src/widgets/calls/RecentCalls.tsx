/** The newest refused and failed calls of one key or one partner, live. */
import { Link } from '@tanstack/react-router';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import { Loaded } from '../../ui/page/Loaded.tsx';
import { Section } from '../../ui/page/Section.tsx';
import { CallList } from './CallList.tsx';

const POLL_MS = 5_000;
/** Many of them are alike, and one row then. */
const READ = 50;
const MOST_ROWS = 5;

export function RecentCalls({ of }: { of: { key_id: string } | { partner_id: string } }) {
  const { queries, links } = useEnvironment();
  const query = useLiveQuery(queries.newestCalls(of, READ), POLL_MS);
  return (
    <Section title="Calls" aside={<Link {...links.calls(of)}>All refused and failed calls</Link>}>
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No call was refused or failed lately.">
              Calls that succeeded are in the usage above.
            </Empty>
          ) : (
            <CallList calls={items} withKey={'partner_id' in of} most={MOST_ROWS} />
          )
        }
      </Loaded>
    </Section>
  );
}
