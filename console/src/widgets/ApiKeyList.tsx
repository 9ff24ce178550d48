/** The API keys of a key that work while rotations overlap, and which of them are used. */
import type { ReactNode } from 'react';
import type { ApiKeyInForce } from '../api/types.ts';
import { Badge } from '../ui/text/Badge.tsx';
import { Ago, Time } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { words } from '../words/words.ts';
import styles from './ApiKeyList.module.css';

interface Props {
  label: string;
  apiKeys: readonly ApiKeyInForce[];
}

export function ApiKeyList({ label, apiKeys }: Props) {
  const last = lastUsed(apiKeys);
  return (
    <ul className={styles.list} aria-label={label}>
      {apiKeys.map((apiKey) => (
        <li key={apiKey.is_current ? 'current' : apiKey.works_until}>
          <span>{whichAndUntil(apiKey)}</span>
          <span>
            {apiKey.last_used_at ? (
              words.apiKeys.lastUsed(<Ago at={apiKey.last_used_at} />)
            ) : (
              <span className={textStyles.dim}>{words.apiKeys.unused}</span>
            )}
          </span>
          {apiKey === last && <Badge tone="accent">{words.apiKeys.usedLast}</Badge>}
        </li>
      ))}
    </ul>
  );
}

function whichAndUntil({ is_current, works_until }: ApiKeyInForce): ReactNode {
  const { newest, earlier, until } = words.apiKeys;
  const which = is_current ? newest : earlier;
  return works_until ? until(which, <Time at={works_until} />, <Ago at={works_until} />) : which;
}

/** Undefined if none was used, and where only the earlier ones are listed: the newest may have been used since. */
function lastUsed(apiKeys: readonly ApiKeyInForce[]): ApiKeyInForce | undefined {
  if (!apiKeys.some(({ is_current }) => is_current)) return undefined;
  return apiKeys
    .filter(({ last_used_at }) => last_used_at !== null)
    .toSorted((one, other) => ((one.last_used_at ?? '') < (other.last_used_at ?? '') ? 1 : -1))[0];
}
