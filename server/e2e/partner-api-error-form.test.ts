/** The form of `error` and `data` in a failure, by BELLHOP_<ENV>_ERROR_FORM and endpoint. */
import { createClient } from '@bellhop/partner';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { startBellhop } from '../testing/bellhop.ts';
import { readText } from '../testing/deploy-files.ts';
import { call, FORWARDED_PATH, head, OVERVIEW_PATH, openWire } from './wire.ts';

test('error is an object by default, and data an array for every spelling of overview/', async () => {
  const { addresses } = await startBellhop();
  const { sandbox } = addresses;
  for (const path of [OVERVIEW_PATH, OVERVIEW_PATH.slice(0, -1), `${OVERVIEW_PATH}?a=b`]) {
    const { json } = await call(sandbox, { path });
    expect(json).toMatchObject({ data: [], status: 'error' });
    expect(json.error).toEqual({
      code: 'no_auth_header',
      message:
        'The request has no Authorization header. Send HTTP Basic: the key id as user name, the API key as password.',
    });
  }
  for (const path of [FORWARDED_PATH, '/', `${OVERVIEW_PATH}x`]) {
    expect((await call(sandbox, { path })).json).toMatchObject({ data: null });
  }
});

test('error is the bare code, and data always null, if the environment is set to it', async () => {
  const bellhop = await startBellhop({ BELLHOP_SANDBOX_ERROR_FORM: 'code' });
  const { sandbox, production } = bellhop.addresses;
  const { json } = await call(sandbox);
  expect(json).toMatchObject({ data: null, error: 'no_auth_header', status: 'error' });
  expect((await call(production)).json.error.code).toBe('no_auth_header');
  // Also for input that never became a request.
  const wire = await openWire(sandbox);
  wire.write(head('BREW /'));
  expect((await wire.next()).json).toMatchObject({ data: null, error: 'unexpected_method' });
  for (const baseUrl of [sandbox, production]) {
    const client = createClient({ baseUrl, keyId: '1', apiKey: 'wrong' });
    await expect(client.overview()).rejects.toMatchObject({ code: 'incorrect_credentials' });
  }
});

test('the OpenAPI document describes both forms, and each reply fits exactly one of them', async () => {
  const { addresses } = await startBellhop({ BELLHOP_SANDBOX_ERROR_FORM: 'code' });
  const document = JSON.parse(readText('docs/openapi/partner.json'));
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  ajv.addSchema(document, 'partner');
  const { oneOf } = document.components.schemas.Refused;
  const forms = oneOf.map(({ $ref }: { $ref: string }) => ajv.compile({ $ref: `partner${$ref}` }));
  for (const path of [OVERVIEW_PATH, FORWARDED_PATH]) {
    const asObject = await call(addresses.production, { path });
    expect(forms.map((fits: ValidateFunction) => fits(asObject.json))).toEqual([true, false]);
    const asCode = await call(addresses.sandbox, { path });
    expect(forms.map((fits: ValidateFunction) => fits(asCode.json))).toEqual([false, true]);
  }
});
