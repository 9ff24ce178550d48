/** The fields of a midoffice's form, for a new one and an existing one. */
import { fieldTitle } from '@bellhop/rules/field-names';
import { type ReactNode, useId } from 'react';
import { fieldError, type Problem } from '../../api/problem.ts';
import type { BodyForm, DeliveryOrder, Midoffice, NewMidoffice } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Choices } from '../../ui/forms/Choices.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { Field } from '../../ui/forms/Field.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import textStyles from '../../ui/text/text.module.css';
import { BodyPreview } from '../../widgets/BodyPreview.tsx';
import {
  CertificateFields,
  type CertificateText,
  certificateText,
  newCertificate,
} from './CertificateFields.tsx';
import { UrlField } from './UrlField.tsx';

export interface MidofficeText {
  name: string;
  url: string;
  signingKeyId: string;
  bodyForm: BodyForm;
  deliveryOrder: DeliveryOrder;
  maxInFlight: string;
  /** Empty: no such limit. */
  maxPerSecond: string;
  /** A line for each, as HTTP writes them. */
  headers: string;
  clientCertificate: CertificateText;
}

export function midofficeText(midoffice?: Midoffice): MidofficeText {
  return {
    name: midoffice?.name ?? '',
    url: midoffice?.url ?? '',
    signingKeyId: midoffice?.signing_key_id ?? '',
    bodyForm: midoffice?.body_form ?? 'data',
    deliveryOrder: midoffice?.delivery_order ?? 'any',
    maxInFlight: String(midoffice?.max_in_flight ?? 16),
    maxPerSecond: String(midoffice?.max_per_second ?? ''),
    headers: Object.entries(midoffice?.headers ?? {})
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    clientCertificate: certificateText(midoffice),
  };
}

export function newMidoffice(text: MidofficeText): NewMidoffice {
  return {
    name: text.name.trim(),
    url: text.url.trim(),
    signing_key_id: text.signingKeyId.trim(),
    body_form: text.bodyForm,
    delivery_order: text.deliveryOrder,
    max_in_flight: Number(text.maxInFlight),
    max_per_second: text.maxPerSecond.trim() ? Number(text.maxPerSecond) : null,
    headers: headersIn(text.headers),
    ...newCertificate(text.clientCertificate),
  };
}

function headersIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim());
  return Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':');
      return [name.trim(), value.join(':').trim()];
    }),
  );
}

export function isComplete(text: MidofficeText): boolean {
  return Boolean(text.name.trim() && text.url.trim() && text.signingKeyId.trim());
}

const fields = [
  'name',
  'url',
  'signing_key_id',
  'body_form',
  'delivery_order',
  'max_in_flight',
  'max_per_second',
  'headers',
  'client_certificate',
];

export function isAtMidofficeField(problem: Problem | null | undefined): boolean {
  return (
    problem?.code === 'key_not_found' ||
    problem?.code === 'key_revoked' ||
    fields.some((field) => fieldError(problem, field))
  );
}

const bodyForms: readonly { value: BodyForm; label: string }[] = [
  { value: 'data', label: 'Under data' },
  { value: 'flat', label: 'Beside signature' },
  { value: 'both', label: 'In both places' },
];
const orders: readonly { value: DeliveryOrder; label: string; hint: string }[] = [
  { value: 'any', label: 'As soon as possible', hint: 'Each event is sent at once.' },
  {
    value: 'per_order',
    label: 'In order',
    hint: 'The events of an order are sent one after another, in the order they were accepted.',
  },
];

interface Props {
  text: MidofficeText;
  onChange(text: MidofficeText): void;
  problem: Problem | null | undefined;
  belowUrl?: ReactNode;
}

export function MidofficeFields({ text, onChange, problem, belowUrl }: Props) {
  const ofKey = problem?.code === 'key_not_found' || problem?.code === 'key_revoked';
  return (
    <>
      <TextField
        label="Name"
        error={fieldError(problem, 'name')}
        value={text.name}
        maxLength={200}
        onChange={(name) => onChange({ ...text, name })}
      />
      <UrlField
        value={text.url}
        onChange={(url) => onChange({ ...text, url })}
        refused={fieldError(problem, 'url')}
      />
      {belowUrl}
      <SigningKeyField
        value={text.signingKeyId}
        onChange={(signingKeyId) => onChange({ ...text, signingKeyId })}
        error={ofKey ? problem?.message : fieldError(problem, 'signing_key_id')}
      />
      <Choices
        legend="Where the payload goes in the body"
        options={bodyForms}
        value={text.bodyForm}
        onChange={(bodyForm) => onChange({ ...text, bodyForm })}
      >
        <BodyPreview form={text.bodyForm} />
      </Choices>
      <Choices
        legend="Order of delivery"
        options={orders}
        value={text.deliveryOrder}
        onChange={(deliveryOrder) => onChange({ ...text, deliveryOrder })}
      >
        <p className={fieldStyles.hint}>
          {orders.find(({ value }) => value === text.deliveryOrder)?.hint}
        </p>
      </Choices>
      <TextField
        label={fieldTitle('max_in_flight')}
        hint="How many webhooks are sent at the same time, 1 to 256."
        error={fieldError(problem, 'max_in_flight')}
        fieldClass={fieldStyles.short}
        inputMode="numeric"
        value={text.maxInFlight}
        onChange={(maxInFlight) => onChange({ ...text, maxInFlight })}
      />
      <TextField
        label={fieldTitle('max_per_second')}
        hint="How many webhooks may begin in any second, 1 to 10,000. Empty: no such limit."
        error={fieldError(problem, 'max_per_second')}
        fieldClass={fieldStyles.short}
        inputMode="numeric"
        value={text.maxPerSecond}
        onChange={(maxPerSecond) => onChange({ ...text, maxPerSecond })}
      />
      <Field
        label="Additional headers"
        hint="Sent with every webhook. One per line, as in “Authorization: Bearer abc”. Saved values are hidden; a value of … stays as it is."
        error={fieldError(problem, 'headers')}
      >
        {(props) => (
          <textarea
            {...props}
            rows={3}
            className={textStyles.mono}
            spellCheck={false}
            autoComplete="off"
            value={text.headers}
            onChange={(event) => onChange({ ...text, headers: event.target.value })}
          />
        )}
      </Field>
      <CertificateFields
        text={text.clientCertificate}
        onChange={(clientCertificate) => onChange({ ...text, clientCertificate })}
        problem={problem}
      />
    </>
  );
}

interface SigningKeyProps {
  value: string;
  onChange(value: string): void;
  error: string | undefined;
}

function SigningKeyField({ value, onChange, error }: SigningKeyProps) {
  const { queries } = useEnvironment();
  const listId = useId();
  const { data } = useLiveQuery(queries.newestKeys());
  const usable = data?.items.filter((key) => !key.revoked_at) ?? [];
  return (
    <div>
      <TextField
        label="Signing key id"
        error={error}
        hint="The receiver verifies webhooks with the API key of this key. Usually it is a key of the agency."
        className={textStyles.mono}
        list={listId}
        inputMode="numeric"
        autoComplete="off"
        value={value}
        onChange={onChange}
      />
      <datalist id={listId}>
        {usable.map((key) => (
          <option key={key.key_id} value={key.key_id}>
            {key.label ?? ''}
          </option>
        ))}
      </datalist>
    </div>
  );
}
