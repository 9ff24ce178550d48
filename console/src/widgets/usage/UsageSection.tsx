/** A part of a page: charts of the usage by hour or by day and, where there is one, the same as a file. */
import { pathOf } from '@bellhop/rules/endpoint-path';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import type { UsageHistory, UsageHistoryItem, UsageStep } from '../../api/types.ts';
import { type QuerySource, useLiveQuery } from '../../api/use-live-query.ts';
import { entriesOf } from '../../entries.ts';
import { Button } from '../../ui/forms/Button.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { Field } from '../../ui/forms/Field.tsx';
import segmentsStyles from '../../ui/forms/Segments.module.css';
import { Empty } from '../../ui/page/Empty.tsx';
import { Loaded, Waiting } from '../../ui/page/Loaded.tsx';
import { ProblemNote } from '../../ui/page/ProblemNote.tsx';
import { Section } from '../../ui/page/Section.tsx';
import textStyles from '../../ui/text/text.module.css';
import { words } from '../../words/words.ts';
import { spans } from './buckets.ts';
import { type CallsOpening, ofEndpoint } from './calls-opening.ts';
import styles from './UsageSection.module.css';

/** In a file of its own, so that the rest of the page does not wait for the chart library. */
const UsageCharts = lazy(async () => ({
  default: (await import('./UsageCharts.tsx')).UsageCharts,
}));

const POLL_MS = 15_000;

interface Props {
  source(step: UsageStep): QuerySource<UsageHistory>;
  /** Saves the same as a file. */
  save?: (step: UsageStep) => Promise<void>;
  calls?: CallsOpening;
}

export function UsageSection({ source, save, calls }: Props) {
  const [step, setStep] = useState<UsageStep>('hour');
  const history = useLiveQuery(source(step), POLL_MS);
  const download = useMutation({ mutationFn: async () => save?.(step) });
  return (
    <Section
      title={words.usage.title}
      aside={
        <div className={styles.actions}>
          <fieldset className={segmentsStyles.segments}>
            <legend className={textStyles.visuallyHidden}>{words.usage.step}</legend>
            {entriesOf(words.usage.steps).map(([name, title]) => (
              <button
                key={name}
                type="button"
                aria-pressed={name === step}
                onClick={() => setStep(name)}
              >
                {title}
              </button>
            ))}
          </fieldset>
          {save && (
            <Button
              busy={download.isPending}
              disabled={history.data?.items.length === 0}
              onClick={() => download.mutate()}
            >
              {words.usage.csv}
              <span className={textStyles.visuallyHidden}> {words.usage.csvOf[step]}</span>
            </Button>
          )}
        </div>
      }
    >
      {download.error && <ProblemNote problem={download.error} />}
      <Loaded query={history}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={words.usage.none(spans[step].days)}>{words.usage.noneAdvice}</Empty>
          ) : (
            <Charts items={items} step={step} calls={calls} />
          )
        }
      </Loaded>
    </Section>
  );
}

interface ChartsProps {
  items: UsageHistoryItem[];
  step: UsageStep;
  calls: CallsOpening | undefined;
}

function Charts({ items, step, calls }: ChartsProps) {
  const [endpoint, setEndpoint] = useState('');
  const endpoints = [...new Set(items.map((item) => item.endpoint))].sort();
  const isShown = endpoints.includes(endpoint);
  const shown = isShown ? items.filter((item) => item.endpoint === endpoint) : items;
  return (
    <>
      {endpoints.length > 1 && (
        <Field label={words.usage.endpoint} className={fieldStyles.short}>
          {(props) => (
            <select
              {...props}
              value={isShown ? endpoint : ''}
              onChange={(event) => setEndpoint(event.target.value)}
            >
              <option value="">{words.usage.allEndpoints}</option>
              {endpoints.map((one) => (
                <option key={one} value={one}>
                  {pathOf(one)}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
      <div className={styles.charts}>
        <Suspense fallback={<Waiting />}>
          <UsageCharts
            items={shown}
            step={step}
            calls={calls && isShown ? ofEndpoint(calls, endpoint) : calls}
          />
        </Suspense>
      </div>
    </>
  );
}
