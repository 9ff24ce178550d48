/** The operator's logo and name, as the settings say. */
import { BellIcon } from '../../../console/src/ui/text/icons.tsx';
import { useEntrance } from '../app/entrance.ts';
import styles from './Brand.module.css';

export function Brand() {
  const { name, has_logo } = useEntrance();
  return (
    <span className={styles.brand}>
      {has_logo ? <img className={styles.logo} src="/brand/logo" alt="" /> : <BellIcon />}
      <span className={styles.name}>{name}</span>
    </span>
  );
}
