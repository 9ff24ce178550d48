/** A list without records: nothing matches the filter, or there is nothing yet. */
import type { ReactNode } from 'react';
import { useEnvironment } from '../app/environment.tsx';
import { Empty } from '../ui/page/Empty.tsx';

interface Props {
  what: 'partner' | 'midoffice';
  isFiltered: boolean;
  /** What to do when there is nothing yet. */
  children: ReactNode;
}

export function NoRecord({ what, isFiltered, children }: Props) {
  const { environment } = useEnvironment();
  if (isFiltered) return <Empty title={`No ${what} in ${environment} matches these filters.`} />;
  return <Empty title={`There is no ${what} in ${environment} yet.`}>{children}</Empty>;
}
