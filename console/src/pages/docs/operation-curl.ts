/** An operation of an API as a curl command, with variables for what only the reader knows. */
import { curlOf, TOKEN_HEADER } from '../../ui/text/curl.ts';
import { formsOf } from './forms.ts';
import { type Document, mediaOf, type Operation } from './openapi.ts';

export function operationAsCurl(
  document: Document,
  { method, path, requestBody }: Pick<Operation, 'method' | 'path' | 'requestBody'>,
  origin: string = location.origin,
): string {
  const isBackOffice = document.components?.securitySchemes?.token !== undefined;
  const server = isBackOffice ? origin : (document.servers?.[0]?.url ?? origin);
  const media = mediaOf(requestBody?.content);
  const example = media && formsOf(document, media[1])[0]?.example;
  const hasBody = example !== undefined && example !== null;
  const [first = '', ...rest] = curlOf({
    method: method.toUpperCase(),
    url: server + path,
    // Nothing is known about the bodies of the booking core.
    headers: media && hasBody ? [['Content-Type', media[0]]] : [],
    body: hasBody ? JSON.stringify(example) : undefined,
  }).split(' \\\n  ');
  const signedIn = isBackOffice ? TOKEN_HEADER : '-u "$BELLHOP_KEY_ID:$BELLHOP_API_KEY"';
  return [withVariables(first), signedIn, ...rest].join(' \\\n  ');
}

/** `'…/keys/{key_id}'` becomes `"…/keys/$KEY_ID"`, which the shell fills in. */
function withVariables(command: string): string {
  if (!command.includes('{')) return command;
  return command
    .replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)
    .replace(/'([^']*)'$/, '"$1"');
}
