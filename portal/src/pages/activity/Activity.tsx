/** What was done to or by this partner: by whom, what and when. */
import { usePages } from '../../../../console/src/api/use-pages.ts';
import { MoreButton } from '../../../../console/src/ui/lists/MoreButton.tsx';
import rowsStyles from '../../../../console/src/ui/lists/Rows.module.css';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { Loaded } from '../../../../console/src/ui/page/Loaded.tsx';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import sectionStyles from '../../../../console/src/ui/page/Section.module.css';
import { Ago } from '../../../../console/src/ui/text/Time.tsx';
import { inChosenZone } from '../../../../console/src/ui/text/times.ts';
import type { PartnerActivity } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

const POLL_MS = 15_000;

export default function Activity() {
  const { queries } = useView();
  const list = usePages(queries.activity(), POLL_MS);
  return (
    <Page title={words.activity.title} about={words.activity.about}>
      <Loaded query={list}>
        {(items) =>
          items.length === 0 ? (
            <Empty title={words.activity.none} />
          ) : (
            <div className={sectionStyles.panel}>
              <ul className={rowsStyles.rows}>
                {items.map((entry) => (
                  <Entry key={entry.id} entry={entry} />
                ))}
              </ul>
            </div>
          )
        }
      </Loaded>
      <MoreButton query={list} />
    </Page>
  );
}

function Entry({ entry }: { entry: PartnerActivity }) {
  const { at, by, sentence } = entry;
  return (
    <li className={`${rowsStyles.row} ${rowsStyles.stacks}`}>
      <div className={rowsStyles.main}>
        <p>
          <strong>{words.activity.by[by]}</strong> {inChosenZone(sentence)}
        </p>
      </div>
      <div className={`${rowsStyles.side} ${rowsStyles.note}`}>
        <Ago at={at} />
      </div>
    </li>
  );
}
