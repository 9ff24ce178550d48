import { Link } from '@tanstack/react-router';
import { useEnvironment } from '../../app/environment.tsx';
import { Empty } from '../../ui/page/Empty.tsx';
import { Page } from '../../ui/page/Page.tsx';

export default function NotFound() {
  const { links, environment } = useEnvironment();
  return (
    <Page title="Page not found">
      <Empty title="There is no page at this address.">
        <p>
          Search above for an id or a name, or go to{' '}
          <Link {...links.overview}>the overview of {environment}</Link>.
        </p>
      </Empty>
    </Page>
  );
}
