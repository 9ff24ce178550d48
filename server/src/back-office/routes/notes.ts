/** Notes on partners, keys, midoffices and deliveries. They can be added and read, but not changed. */
import type { TObject } from 'typebox';
import type { EnvironmentName } from '../../config/settings.ts';
import { addNote, listNotes, type NoteSubject } from '../../support/notes/notes.ts';
import type { ProblemCode } from '../../support/problem.ts';
import type { App, RouteParts } from '../app.ts';
import { oneDelivery } from '../schemas/deliveries.ts';
import { pageOfSchema, pageQuery, query } from '../schemas/forms.ts';
import { oneKey } from '../schemas/keys.ts';
import { oneMidoffice } from '../schemas/midoffices.ts';
import { NewNote, Note } from '../schemas/notes.ts';
import { onePartner } from '../schemas/partners.ts';
import { actorOf } from '../sign-in.ts';

export function noteRoutes(app: App, parts: RouteParts): void {
  routesOf(app, parts, 'partner', 'partners/:id', onePartner);
  routesOf(app, parts, 'key', 'keys/:key_id', oneKey);
  routesOf(app, parts, 'midoffice', 'midoffices/:id', oneMidoffice);
  routesOf(app, parts, 'delivery', 'deliveries/:id', oneDelivery);
}

function routesOf(
  app: App,
  { signIn, environmentOf }: RouteParts,
  kind: NoteSubject['kind'],
  path: string,
  params: TObject,
): void {
  const address = `/support/v1/:environment/${path}/notes`;
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const problems: ProblemCode[] = [`${kind}_not_found`];
  const subjectOf = ({ params }: { params: unknown }): NoteSubject => {
    const { id, key_id } = params as { id?: string; key_id?: string };
    return { kind, id: id ?? key_id ?? '' };
  };
  const environmentIn = ({ params }: { params: unknown }) =>
    environmentOf({ params: params as { environment: EnvironmentName } });

  app.get(
    address,
    {
      onRequest: signIn.reads,
      config: { problems },
      schema: {
        tags: ['notes'],
        operationId: `list${name}Notes`,
        summary: `List the notes on a ${kind}, newest first`,
        params,
        querystring: query(pageQuery),
        response: { 200: pageOfSchema(Note) },
      },
    },
    (request) => listNotes(environmentIn(request), subjectOf(request), request.query),
  );

  app.post(
    address,
    {
      onRequest: signIn.changes,
      config: { problems },
      schema: {
        tags: ['notes'],
        operationId: `add${name}Note`,
        summary: `Add a note to a ${kind}; it cannot be changed afterwards`,
        params,
        body: NewNote,
        response: { 201: Note },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(
          await addNote(environmentIn(request), actorOf(request), subjectOf(request), request.body),
        ),
  );
}
