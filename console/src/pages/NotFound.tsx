import { useDesk } from '../desk.tsx';
import { Empty } from '../parts/Empty.tsx';
import { Page } from '../parts/Page.tsx';
import { Link } from '../router.tsx';

export default function NotFound() {
  const { places, environment } = useDesk();
  return (
    <Page title="Nothing here">
      <Empty title="There is no page at this address.">
        <p>
          Search above for an id or a name, or go to{' '}
          <Link to={places.home}>the overview of {environment}</Link>.
        </p>
      </Empty>
    </Page>
  );
}
