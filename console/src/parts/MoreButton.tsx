import { Button } from './Button.tsx';

export function MoreButton({ busy, onMore }: { busy: boolean; onMore(): void }) {
  return (
    <div className="more">
      <Button busy={busy} onClick={onMore}>
        Show more
      </Button>
    </div>
  );
}
