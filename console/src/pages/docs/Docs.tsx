/** Shows both OpenAPI documents. Nothing is fetched from other sites. */
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { readDocument } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { docsParams } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import segmentsStyles from '../../ui/forms/Segments.module.css';
import { Loaded } from '../../ui/page/Loaded.tsx';
import pageStyles from '../../ui/page/Page.module.css';
import sectionStyles from '../../ui/page/Section.module.css';
import { Brand, SkipLink, TopBar } from '../../ui/page/TopBar.tsx';
import { Method } from '../../ui/text/Method.tsx';
import textStyles from '../../ui/text/text.module.css';
import styles from './Docs.module.css';
import { Inline } from './Inline.tsx';
import { OperationCard } from './OperationCard.tsx';
import type { Document } from './openapi.ts';
import { groupsOf } from './openapi.ts';

/** A document with at most this many operations is shown unfolded. */
const FEW = 5;
const apis = [
  ['partner', 'Partner API', '/openapi/partner.json'],
  ['back-office', 'Back office API', '/openapi.json'],
] as const;

export default function Docs() {
  const { filters } = useFilters(docsParams);
  const api = filters.api === 'back-office' ? 'back-office' : 'partner';
  const source = apis.find(([name]) => name === api)?.[2] ?? '';
  const session = useLiveQuery(sessionQuery);
  const shown = useLiveQuery<Document>({
    queryKey: ['document', api],
    queryFn: async ({ signal }) => (await readDocument(source, signal)) as Document,
  });
  useEffect(() => {
    document.title = 'API documentation · Bellhop';
  }, []);
  return (
    <div className={styles.docs}>
      <SkipLink />
      <TopBar>
        <Brand />
        <nav className={segmentsStyles.segments} aria-label="Document">
          {apis.map(([name, title]) => (
            <Link
              key={name}
              to="/docs"
              search={name === 'partner' ? {} : { api: name }}
              activeOptions={{ exact: true }}
            >
              {title}
            </Link>
          ))}
        </nav>
        <Link to="/">{session.data ? 'Console' : 'Sign in'}</Link>
      </TopBar>
      <Loaded query={shown}>{(data) => <Shown document={data} source={source} />}</Loaded>
    </div>
  );
}

function Shown({ document, source }: { document: Document; source: string }) {
  const groups = groupsOf(document);
  const isShort = groups.flatMap((group) => group.operations).length <= FEW;
  return (
    <div className={styles.body}>
      <nav className={styles.index} aria-label="Operations">
        {groups.map((group) => (
          <div key={group.name}>
            <p className={styles.indexGroup}>{group.name}</p>
            {group.operations.map((operation) => (
              <a key={operation.id} href={`#${operation.id}`}>
                <Method name={operation.method} />
                <span className={textStyles.clip}>{operation.summary ?? operation.path}</span>
              </a>
            ))}
          </div>
        ))}
      </nav>
      <main className={styles.content} id="content" tabIndex={-1}>
        <h1>{document.info.title}</h1>
        <p className={pageStyles.about}>
          Version {document.info.version} · <a href={source}>OpenAPI document</a>
        </p>
        {document.servers
          ?.filter(({ url }) => url !== '/')
          .map(({ url, description }) => (
            <p key={url} className={pageStyles.about}>
              {description}: <code className={textStyles.wrap}>{url}</code>
            </p>
          ))}
        {document.info.description && <Prose text={document.info.description} />}
        {groups.map((group) => (
          <section key={group.name} className={sectionStyles.section} aria-label={group.name}>
            <h2 className={styles.group}>{group.name}</h2>
            {group.description && <Prose text={group.description} />}
            {group.operations.map((operation) => (
              <OperationCard
                key={operation.id}
                document={document}
                operation={operation}
                isOpen={isShort}
              />
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}

/** Paragraphs and code; no other Markdown. */
function Prose({ text }: { text: string }) {
  return (
    <div className={textStyles.prose}>
      {text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph}>
          <Inline text={paragraph} />
        </p>
      ))}
    </div>
  );
}
