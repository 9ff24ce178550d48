/** Refused calls, those that are alike in one row, as support sees them too. */
import { Link } from '@tanstack/react-router';
import sectionStyles from '../../../../console/src/ui/page/Section.module.css';
import textStyles from '../../../../console/src/ui/text/text.module.css';
import { inChosenZone } from '../../../../console/src/ui/text/times.ts';
import { CallRows } from '../../../../console/src/widgets/calls/CallRows.tsx';
import type { OwnKey, OwnRefusal } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';
import { keyName } from '../keys/key-name.ts';
import { AllowAddress } from './AllowAddress.tsx';

interface Props {
  refusals: OwnRefusal[];
  keys: readonly OwnKey[];
}

export function RefusalList({ refusals, keys }: Props) {
  const { links } = useView();
  return (
    <section className={sectionStyles.panel} aria-label={words.refusals.newest}>
      <CallRows
        calls={refusals}
        by={({ code, address, key_id }) => (
          <span className={textStyles.dim}>
            <code>{code}</code> {words.refusals.from(address)}{' '}
            {key_id === null ? (
              words.refusals.unknownKey
            ) : (
              <>
                {words.refusals.withKey}{' '}
                <Link {...links.key(key_id)}>
                  {keyName(keys.find((one) => one.key_id === key_id) ?? { key_id, label: null })}
                </Link>
              </>
            )}
          </span>
        )}
        said={(refusal) => (
          <p>
            {inChosenZone(refusal.verdict.sentence)} <AllowAddress refusal={refusal} keys={keys} />
          </p>
        )}
        caseLink={(id, text) => <Link {...links.case(id)}>{text}</Link>}
      />
    </section>
  );
}
