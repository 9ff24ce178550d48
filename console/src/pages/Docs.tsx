/** Both OpenAPI documents, rendered here: nothing is fetched from elsewhere. */
import { useEffect } from 'react';
import { documents } from '../api.ts';
import { useReading } from '../live.ts';
import type { Document } from '../openapi.ts';
import { groupsOf } from '../openapi.ts';
import { Inline } from '../parts/Inline.tsx';
import { BellIcon } from '../parts/icons.tsx';
import { Loaded } from '../parts/Loaded.tsx';
import { OperationCard } from '../parts/OperationCard.tsx';
import { Link, useFilters } from '../router.tsx';

/** A document of so few operations is shown unfolded. */
const FEW = 5;
const names = ['api'] as const;
const apis = [
  ['partner', 'Partner API', '/openapi/partner.json'],
  ['back-office', 'Back office API', '/openapi.json'],
] as const;

export default function Docs({ signedIn }: { signedIn: boolean }) {
  const { filters } = useFilters(names);
  const api = filters.api === 'back-office' ? 'back-office' : 'partner';
  const source = apis.find(([name]) => name === api)?.[2] ?? '';
  const reading = useReading(`docs ${api}`, async () => {
    const document = api === 'partner' ? await documents.partner() : await documents.backOffice();
    return document as Document;
  });
  useEffect(() => {
    document.title = 'API documentation · Bellhop';
  }, []);
  return (
    <div className="docs">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header className="bar">
        <span className="brand">
          <BellIcon /> Bellhop
        </span>
        <nav className="segments" aria-label="Document">
          {apis.map(([name, title]) => (
            <Link
              key={name}
              to={name === 'partner' ? '/docs' : `/docs?api=${name}`}
              aria-current={name === api ? 'page' : undefined}
            >
              {title}
            </Link>
          ))}
        </nav>
        <Link className="docs-back" to="/">
          {signedIn ? 'Console' : 'Sign in'}
        </Link>
      </header>
      <Loaded reading={reading}>{(shown) => <Shown document={shown} source={source} />}</Loaded>
    </div>
  );
}

function Shown({ document, source }: { document: Document; source: string }) {
  const groups = groupsOf(document);
  const isShort = groups.flatMap((group) => group.operations).length <= FEW;
  return (
    <div className="docs-body">
      <nav className="docs-index" aria-label="Operations">
        {groups.map((group) => (
          <div key={group.name}>
            <p className="docs-index-group">{group.name}</p>
            {group.operations.map((operation) => (
              <a key={operation.id} href={`#${operation.id}`}>
                <span className={`method method-${operation.method}`}>{operation.method}</span>
                <span className="clip">{operation.summary ?? operation.path}</span>
              </a>
            ))}
          </div>
        ))}
      </nav>
      <main className="docs-content" id="content" tabIndex={-1}>
        <h1>{document.info.title}</h1>
        <p className="page-about">
          Version {document.info.version} · <a href={source}>OpenAPI document</a>
        </p>
        {document.info.description && <Prose text={document.info.description} />}
        {groups.map((group) => (
          <section key={group.name} className="section" aria-label={group.name}>
            <h2 className="docs-group">{group.name}</h2>
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

/** Paragraphs and code, and nothing else of Markdown. */
function Prose({ text }: { text: string }) {
  return (
    <div className="prose">
      {text.split(/\n{2,}/).map((paragraph) => (
        <p key={paragraph}>
          <Inline text={paragraph} />
        </p>
      ))}
    </div>
  );
}
