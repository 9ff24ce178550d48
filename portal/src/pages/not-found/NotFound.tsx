import { Link } from '@tanstack/react-router';
import { Empty } from '../../../../console/src/ui/page/Empty.tsx';
import { Page } from '../../../../console/src/ui/page/Page.tsx';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

export default function NotFound() {
  const { links } = useView();
  return (
    <Page title={words.notFound.title}>
      <Empty title={words.notFound.nothing}>
        <Link {...links.home}>{words.notFound.goHome}</Link>
      </Empty>
    </Page>
  );
}
