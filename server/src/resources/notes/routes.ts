/** Notes on partners, keys, midoffices and deliveries. They can be added and read, but not changed. */
import { pageOfSchema, pageQuery, query } from '../forms.ts';
import { type Route, route } from '../route.ts';
import { addNote, listNotes, NewNote, Note, type NoteSubject } from './notes.ts';

export const noteRoutes = [
  ...routesOf('partner', 'partners/:id'),
  ...routesOf('key', 'keys/:key_id'),
  ...routesOf('midoffice', 'midoffices/:id'),
  ...routesOf('delivery', 'deliveries/:id'),
];

function routesOf(kind: NoteSubject['kind'], path: string): Route[] {
  const name = kind.charAt(0).toUpperCase() + kind.slice(1);
  const problems = [`${kind}_not_found`] as const;
  const subjectOf = (params: unknown): NoteSubject => {
    const { id, key_id } = params as { id?: string; key_id?: string };
    return { kind, id: id ?? key_id ?? '' };
  };
  return [
    route(
      `list${name}Notes`,
      `GET ${path}/notes`,
      `List the notes on a ${kind}, newest first`,
      { may: 'read', query: query(pageQuery), reply: pageOfSchema(Note), problems },
      ({ environment, params, query }) => listNotes(environment, subjectOf(params), query),
    ),
    route(
      `add${name}Note`,
      `POST ${path}/notes`,
      `Add a note to a ${kind}; it cannot be changed afterwards`,
      { may: 'change', body: NewNote, reply: Note, status: 201, problems },
      ({ environment, actor, params, body }) =>
        addNote(environment, actor, subjectOf(params), body),
    ),
  ];
}
