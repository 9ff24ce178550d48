import styles from './tones.module.css';

const classOf = { good: styles.good, warn: styles.warn, bad: styles.bad, plain: styles.plain };
export type Tone = keyof typeof classOf;

export interface Meaning {
  label: string;
  tone: Tone;
}

export function Legend({ meanings }: { meanings: readonly Meaning[] }) {
  return (
    <p className={styles.legend}>
      {meanings.map(({ label, tone }) => (
        <span key={label} className={toneClass(tone)}>
          {label}
        </span>
      ))}
    </p>
  );
}

/** Colours a bar, too. */
export function toneClass(tone: Tone): string | undefined {
  return classOf[tone];
}
