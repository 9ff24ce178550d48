/** Says which time zone all times are in, and switches between the viewer's own and UTC. */
import segmentsStyles from '../ui/forms/Segments.module.css';
import textStyles from '../ui/text/text.module.css';
import { chooseZone, localZoneName, useZone, zoneName } from '../ui/text/zone.ts';
import styles from './ZoneSwitch.module.css';

const zones = [
  ['local', 'Local'],
  ['utc', 'UTC'],
] as const;

export function ZoneSwitch() {
  const zone = useZone();
  return (
    <div className={styles.zone}>
      <p className={styles.label}>Times in {zoneName()}</p>
      {localZoneName() !== 'UTC' && (
        <fieldset className={segmentsStyles.segments}>
          <legend className={textStyles.visuallyHidden}>Time zone</legend>
          {zones.map(([name, title]) => (
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
