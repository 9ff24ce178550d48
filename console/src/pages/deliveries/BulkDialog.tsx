/** Confirms a change of many deliveries with their exact number, then shows its progress. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { BulkAction, Delivery, DeliveryCount, DeliveryFilter } from '../../api/types.ts';
import { problemOf } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Button } from '../../ui/forms/Button.tsx';
import formStyles from '../../ui/forms/Form.module.css';
import { Form } from '../../ui/forms/Form.tsx';
import { announce } from '../../ui/page/announce.ts';
import textStyles from '../../ui/text/text.module.css';
import { deliveriesInWords } from '../../widgets/counts.ts';
import { ProgressBar } from '../../widgets/ProgressBar.tsx';
import { consequences, countSelected, titleOf, verbOf } from './bulk-words.ts';
import { useBulkProgress } from './use-bulk-progress.ts';

interface Props {
  action: BulkAction;
  filter: DeliveryFilter;
  /** If there are any, only these are changed. */
  selected: readonly Delivery[];
  onDone(): void;
  onClose(): void;
}

export function BulkDialog({ action, filter, selected, onDone, onClose }: Props) {
  const { call } = useEnvironment();
  const counted = useCount(filter, selected);
  const change = useMutation({
    mutationFn: ({ filter, count }: Counted) =>
      call('changeDeliveries', { body: { action, filter, expected: count.count } }),
    onSuccess({ changed }) {
      announce(`${action === 'retry' ? 'Retried' : 'Cancelled'} ${deliveriesInWords(changed)}.`);
      onDone();
      onClose();
    },
  });
  const { count } = counted.data ?? {};
  const isGone = change.error?.code === 'count_changed';
  const nothing = count !== undefined && affected(action, count) === 0;
  return (
    <Dialog title={titleOf(action, selected.length > 0)} open onClose={onClose}>
      {change.isPending && counted.data ? (
        <Running action={action} counted={counted.data} onClose={onClose} />
      ) : (
        <Form
          submit={
            count && !nothing
              ? `${verbOf(action)} ${deliveriesInWords(affected(action, count))}`
              : verbOf(action)
          }
          danger={action === 'cancel'}
          busy={change.isPending}
          disabled={!count || count.has_more || nothing || isGone}
          problem={change.error ?? counted.problem}
          onSubmit={() => counted.data && change.mutate(counted.data)}
          onCancel={onClose}
        >
          <div className={textStyles.prose} role="status">
            {count ? (
              <Consequences action={action} count={count} />
            ) : (
              !counted.problem && <p>Counting…</p>
            )}
          </div>
          {isGone && (
            <Button
              onClick={() => {
                change.reset();
                counted.again();
              }}
            >
              Count again
            </Button>
          )}
        </Form>
      )}
    </Dialog>
  );
}

function Consequences({ action, count }: { action: BulkAction; count: DeliveryCount }) {
  return consequences(action, count).map((sentence, n) => (
    <p key={sentence}>{n === 0 ? <strong>{sentence}</strong> : sentence}</p>
  ));
}

/** A cancellation changes only what is pending. */
function affected(action: BulkAction, { count, by_state }: DeliveryCount): number {
  return action === 'cancel' ? by_state.pending : count;
}

function Running({
  action,
  counted,
  onClose,
}: {
  action: BulkAction;
  counted: Counted;
  onClose(): void;
}) {
  const changed = useBulkProgress(action, counted.filter);
  const of = affected(action, counted.count);
  return (
    <div className={formStyles.form}>
      <ProgressBar label="Changed" value={changed} max={of} />
      <p role="status">
        <strong>{changed}</strong> of {of}. You can close this; the server carries on.
      </p>
      <div className={formStyles.buttons} data-form-buttons>
        <Button onClick={onClose}>Close</Button>
      </div>
    </div>
  );
}

export interface Counted {
  filter: DeliveryFilter;
  count: DeliveryCount;
}

/** The end of the span is fixed when it is counted, so that new events do not change the number. */
function useCount(filter: DeliveryFilter, selected: readonly Delivery[]) {
  const { call, environment } = useEnvironment();
  // The list goes on updating itself behind the dialog.
  const [chosen] = useState(selected);
  const query = useQuery({
    queryKey: [environment, 'count to change', filter, chosen.map(({ id }) => id)],
    queryFn: async ({ signal }): Promise<Counted> => {
      if (chosen.length > 0) {
        return { filter: { ids: chosen.map(({ id }) => id) }, count: countSelected(chosen) };
      }
      const { ids: _, ...query } = { until: new Date().toISOString(), ...filter };
      return { filter: query, count: await call('countDeliveries', { query }, signal) };
    },
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  return { data: query.data, problem: problemOf(query), again: () => void query.refetch() };
}
