/** The fields that an entry changed, before and after. */
import type { PartnerActivity } from '../../api/types.ts';
import styles from './Changes.module.css';

export function Changes({ entry: { before, after } }: { entry: PartnerActivity }) {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  if (fields.length === 0) return null;
  return (
    <details>
      <summary className={styles.summary}>{fields.join(', ')}</summary>
      <dl className={styles.changes}>
        {fields.map((field) => (
          <div key={field}>
            <dt>{field}</dt>
            <dd>
              {was[field] !== undefined && <del>{was[field]}</del>}{' '}
              {is[field] !== undefined && <ins>{is[field]}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

function fieldsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).map(([field, one]) => [
      field,
      typeof one === 'string' ? one : JSON.stringify(one),
    ]),
  );
}
