/** One operation of an API: its parameters, its body and its replies. */
import { useState } from 'react';
import { Scroll } from '../../ui/lists/Scroll.tsx';
import tableStyles from '../../ui/lists/Table.module.css';
import { Badge, type Tone } from '../../ui/text/Badge.tsx';
import { Code } from '../../ui/text/Code.tsx';
import { CurlButton } from '../../ui/text/CurlButton.tsx';
import { Method } from '../../ui/text/Method.tsx';
import textStyles from '../../ui/text/text.module.css';
import { formsOf, namedExamplesOf } from './forms.ts';
import { Inline, Items } from './Inline.tsx';
import styles from './OperationCard.module.css';
import {
  type Document,
  type Header,
  type Media,
  mediaOf,
  type Operation,
  type Parameter,
  type Reply,
  resolved,
} from './openapi.ts';
import { operationAsCurl } from './operation-curl.ts';
import { type FieldRow, typeOf } from './schema.ts';

interface Props {
  document: Document;
  operation: Operation;
  isOpen: boolean;
}

export function OperationCard({ document, operation, isOpen }: Props) {
  // The tables of a hundred operations would make the page slow, so each is drawn when it is first unfolded.
  const [isDrawn, setDrawn] = useState(isOpen);
  return (
    <article className={styles.operation} id={operation.id}>
      <header>
        <h3>{operation.summary ?? operation.path}</h3>
        <p className={styles.line}>
          <Method name={operation.method} />{' '}
          <code className={textStyles.wrap}>{operation.path}</code>
          {operation.isWebhook ? (
            <Badge>sent by Bellhop</Badge>
          ) : (
            <CurlButton
              command={operationAsCurl(document, operation)}
              what={operation.summary ?? operation.path}
            />
          )}
        </p>
        {operation.description && (
          <p className={styles.about}>
            <Inline text={operation.description} />
          </p>
        )}
      </header>
      <details open={isOpen || undefined} onToggle={() => setDrawn(true)}>
        <summary>Fields and examples</summary>
        {isDrawn && <Details document={document} operation={operation} />}
      </details>
    </article>
  );
}

function Details({ document, operation }: Omit<Props, 'isOpen'>) {
  const body = mediaOf(operation.requestBody?.content);
  const firstError = Object.keys(operation.responses ?? {}).find((status) => /^[45]/.test(status));
  const parameters = (operation.parameters ?? []).map(
    (one) => resolved(document, one as Parameter & { $ref?: string }) as Parameter,
  );
  return (
    <>
      {parameters.length > 0 && (
        <>
          <h4>Parameters</h4>
          <FieldTable
            label={`Parameters of ${operation.path}`}
            rows={parameters.map((parameter) => ({
              name: parameter.name,
              depth: 0,
              type: `${parameter.in} ${parameter.schema ? typeOf(document, parameter.schema) : ''}`,
              isRequired: parameter.required ?? false,
              description: parameter.description ?? parameter.schema?.description ?? '',
            }))}
          />
        </>
      )}
      {body && (
        <>
          <h4>Body</h4>
          {operation.requestBody?.description && (
            <p>
              <Inline text={operation.requestBody.description} />
            </p>
          )}
          <Forms document={document} media={body[1]} label={`Body of ${operation.path}`} />
        </>
      )}
      <h4>Replies</h4>
      {Object.entries(operation.responses ?? {}).map(([status, raw]) => (
        <ReplyPart
          key={status}
          document={document}
          status={status}
          reply={resolved(document, raw)}
          // All errors have the same shape, so it is shown once.
          hasFields={status.startsWith('2') || status === firstError}
          label={`Reply ${status} of ${operation.path}`}
        />
      ))}
    </>
  );
}

interface ReplyPartProps {
  document: Document;
  status: string;
  reply: Reply;
  hasFields: boolean;
  label: string;
}

function ReplyPart({ document, status, reply, hasFields, label }: ReplyPartProps) {
  const media = mediaOf(reply.content)?.[1];
  const examples = media ? namedExamplesOf(media) : [];
  return (
    <div className={styles.reply}>
      <div className={styles.meaning}>
        <Badge tone={toneOf(status)}>{status}</Badge>
        {reply.description && reply.description !== 'Default Response' && (
          <div>
            <Items text={reply.description} />
          </div>
        )}
      </div>
      <FieldTable
        label={`Headers of ${label}`}
        first="Header"
        rows={Object.entries(reply.headers ?? {}).map(([name, raw]) =>
          headerRow(document, name, resolved(document, raw)),
        )}
      />
      {media && hasFields && <Forms document={document} media={media} label={label} />}
      {examples.length > (hasFields ? 1 : 0) && (
        <details className={styles.examples}>
          <summary>{examples.length === 1 ? 'Example' : `${examples.length} examples`}</summary>
          {examples.map(([name, value]) => (
            <Code
              key={name}
              label={`${label}, example ${name}`}
              text={JSON.stringify(value, null, 2)}
            />
          ))}
        </details>
      )}
    </div>
  );
}

function headerRow(document: Document, name: string, { description, schema }: Header): FieldRow {
  const [example] = schema?.examples ?? [];
  return {
    name,
    depth: 0,
    type: schema ? typeOf(document, schema) : '',
    isRequired: false,
    description: [description, example === undefined ? '' : `Example: \`${example}\`.`]
      .filter(Boolean)
      .join(' '),
  };
}

function toneOf(status: string): Tone {
  return status.startsWith('2') ? 'good' : status.startsWith('4') ? 'warn' : 'calm';
}

interface FormsProps {
  document: Document;
  media: Media;
  label: string;
}

/** The fields and an example of a body, once for each form that it can have. */
function Forms({ document, media, label }: FormsProps) {
  return formsOf(document, media).map(({ title, description, fields, example }) => {
    const name = title ? `${label}, form ${title}` : label;
    return (
      <div key={name} className={styles.form}>
        {title && (
          <p className={styles.line}>
            <Badge>{title}</Badge> <Inline text={description} />
          </p>
        )}
        <FieldTable label={name} rows={fields} />
        {example !== undefined && example !== null && (
          <Code
            label={`${name}, example`}
            text={typeof example === 'string' ? example : JSON.stringify(example, null, 2)}
          />
        )}
      </div>
    );
  });
}

interface FieldTableProps {
  label: string;
  rows: FieldRow[];
  /** What the first column lists. */
  first?: string;
}

function FieldTable({ label, rows, first = 'Field' }: FieldTableProps) {
  if (rows.length === 0) return null;
  return (
    <Scroll label={label}>
      <table className={`${tableStyles.table} ${tableStyles.tight}`}>
        <thead>
          <tr>
            <th scope="col">{first}</th>
            <th scope="col">Type</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              <td>
                <span style={{ paddingInlineStart: `${row.depth}rem` }}>
                  <code>{row.name}</code>
                </span>
                {row.isRequired && <span className={styles.required}> required</span>}
              </td>
              <td className={textStyles.dim}>{row.type}</td>
              <td>
                <Inline text={row.description} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}
