/** Says which time zone all times are in, and switches between the viewer's own and UTC. */
import { entriesOf } from '../entries.ts';
import segmentsStyles from '../ui/forms/Segments.module.css';
import textStyles from '../ui/text/text.module.css';
import { chooseZone, localZoneName, useZone, zoneName } from '../ui/text/zone.ts';
import { words } from '../words/words.ts';
import styles from './ZoneSwitch.module.css';

export function ZoneSwitch() {
  const zone = useZone();
  return (
    <div className={styles.zone}>
      <p className={styles.label}>{words.zone.timesIn(zoneName())}</p>
      {localZoneName() !== 'UTC' && (
        <fieldset className={segmentsStyles.segments}>
          <legend className={textStyles.visuallyHidden}>{words.zone.label}</legend>
          {entriesOf(words.zone.names).map(([name, title]) => (
            <button
              key={name}
              type="button"
              aria-pressed={name === zone}
              onClick={() => chooseZone(name)}
            >
              {title}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
