/** Checks whether a URL may become a receiver, and whether a receiver behaves correctly. */
import { certifyReceiver } from '../../support/midoffices/certify-receiver.ts';
import type { App, RouteParts } from '../app.ts';
import { inEnvironment } from '../schemas/forms.ts';
import { oneMidoffice } from '../schemas/midoffices.ts';
import {
  ReceiverCertification,
  ReceiverCheck,
  ReceiverToCertify,
  ReceiverToCheck,
} from '../schemas/receivers.ts';
import { actorOf } from '../sign-in.ts';

export function receiverRoutes(app: App, { signIn, environmentOf }: RouteParts): void {
  const base = '/support/v1/:environment';

  app.post(
    `${base}/receiver-check`,
    {
      // Not for viewers: it reveals what names resolve to inside the network.
      onRequest: signIn.changes,
      schema: {
        tags: ['midoffices'],
        operationId: 'checkReceiver',
        summary: 'Check whether a URL can be registered as a receiver; changes nothing',
        params: inEnvironment,
        body: ReceiverToCheck,
        response: { 200: ReceiverCheck },
      },
    },
    (request) => environmentOf(request).webhooks.checkUrl(request.body.url),
  );

  app.post(
    `${base}/midoffices/:id/certify-receiver`,
    {
      onRequest: signIn.changes,
      config: { problems: ['midoffice_not_found'] },
      schema: {
        tags: ['midoffices'],
        operationId: 'certifyReceiver',
        summary: 'Certify a receiver: send it about 40 requests, valid and invalid, and report',
        params: oneMidoffice,
        body: ReceiverToCertify,
        response: { 200: ReceiverCertification },
      },
    },
    (request) =>
      certifyReceiver(environmentOf(request), actorOf(request), request.params.id, request.body),
  );
}
