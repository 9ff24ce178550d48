import { Button } from '../../../../console/src/ui/forms/Button.tsx';
import rowsStyles from '../../../../console/src/ui/lists/Rows.module.css';
import pageStyles from '../../../../console/src/ui/page/Page.module.css';
import { Badge } from '../../../../console/src/ui/text/Badge.tsx';
import type { Contact } from '../../api/types.ts';
import { useView } from '../../app/view.tsx';
import { words } from '../../words/words.ts';

interface Props {
  contact: Contact;
  onAct(what: 'edit' | 'remove' | 'again'): void;
}

export function ContactRow({ contact, onAct }: Props) {
  const { may } = useView();
  const { contacts: said } = words;
  const { email, notices, confirmed_at } = contact;
  const isConfirmed = confirmed_at !== null;
  return (
    <li className={`${rowsStyles.row} ${rowsStyles.stacks}`}>
      <div className={rowsStyles.main}>
        <p>
          <strong>{email}</strong>{' '}
          <Badge tone={isConfirmed ? 'good' : 'warn'}>
            {isConfirmed ? said.confirmed : said.waits}
          </Badge>
        </p>
        <p className={rowsStyles.note}>
          {notices.length === 0 ? said.noKinds : notices.map((kind) => said.kinds[kind]).join(', ')}
        </p>
      </div>
      {may('contacts') && (
        <div className={rowsStyles.side}>
          <div className={pageStyles.actions}>
            {!isConfirmed && <Button onClick={() => onAct('again')}>{said.again}</Button>}
            <Button onClick={() => onAct('edit')}>{said.edit}</Button>
            <Button onClick={() => onAct('remove')}>{said.remove}</Button>
          </div>
        </div>
      )}
    </li>
  );
}
