/** Downloads a list as it is filtered, all of it. The browser writes it to the disk while it arrives. */
import { useEnvironment } from '../app/environment.tsx';
import buttonStyles from '../ui/forms/Button.module.css';
import { DownloadIcon } from '../ui/text/icons.tsx';

interface Props {
  /** Its address, after that of the environment. */
  list: string | readonly string[];
  query?: Record<string, string | undefined>;
}

export function DownloadCsv({ list, query = {} }: Props) {
  const { api } = useEnvironment();
  return <CsvLink href={api.csvOf(list, query)} />;
}

export function CsvLink({ href }: { href: string }) {
  return (
    <a className={buttonStyles.button} href={href} download>
      <DownloadIcon /> CSV
    </a>
  );
}
