/** The fields of a midoffice, for a new one and for an existing one. */
import { useId } from 'react';
import { useDesk } from '../desk.tsx';
import { useReading } from '../live.ts';
import type { BodyForm, DeliveryOrder, Midoffice, NewMidoffice } from '../model.ts';
import { fieldError, type Problem } from '../problem.ts';
import { BodyPreview } from './BodyPreview.tsx';
import { Field } from './Field.tsx';
import { UrlField } from './UrlField.tsx';

export interface MidofficeText {
  name: string;
  url: string;
  signingKeyId: string;
  bodyForm: BodyForm;
  deliveryOrder: DeliveryOrder;
  maxInFlight: string;
}

export function midofficeText(midoffice?: Midoffice): MidofficeText {
  return {
    name: midoffice?.name ?? '',
    url: midoffice?.url ?? '',
    signingKeyId: midoffice?.signing_key_id ?? '',
    bodyForm: midoffice?.body_form ?? 'data',
    deliveryOrder: midoffice?.delivery_order ?? 'any',
    maxInFlight: String(midoffice?.max_in_flight ?? 16),
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
  };
}

export function isComplete(text: MidofficeText): boolean {
  return Boolean(text.name.trim() && text.url.trim() && text.signingKeyId.trim());
}

const fields = ['name', 'url', 'signing_key_id', 'body_form', 'delivery_order', 'max_in_flight'];

export function isAtMidofficeField(problem: Problem | undefined): boolean {
  return (
    problem?.code === 'key_not_found' ||
    problem?.code === 'key_revoked' ||
    fields.some((field) => fieldError(problem, field))
  );
}

const bodyForms: readonly [BodyForm, string][] = [
  ['data', 'Under data'],
  ['flat', 'Beside signature'],
  ['both', 'In both places'],
];
const orders: readonly [DeliveryOrder, string, string][] = [
  ['any', 'As soon as possible', 'Each event goes out at once.'],
  ['per_order', 'In order', "An order's events go out one after another, as they were accepted."],
];

interface Props {
  text: MidofficeText;
  onChange(text: MidofficeText): void;
  problem: Problem | undefined;
}

export function MidofficeFields({ text, onChange, problem }: Props) {
  const id = useId();
  const ofKey = problem?.code === 'key_not_found' || problem?.code === 'key_revoked';
  return (
    <>
      <Field label="Name" error={fieldError(problem, 'name')}>
        {(props) => (
          <input
            {...props}
            value={text.name}
            maxLength={200}
            onChange={(event) => onChange({ ...text, name: event.target.value })}
          />
        )}
      </Field>
      <UrlField
        value={text.url}
        onChange={(url) => onChange({ ...text, url })}
        refused={fieldError(problem, 'url')}
      />
      <SigningKeyField
        value={text.signingKeyId}
        onChange={(signingKeyId) => onChange({ ...text, signingKeyId })}
        error={ofKey ? problem?.message : fieldError(problem, 'signing_key_id')}
      />
      <fieldset className="choices">
        <legend>Where the payload stands in the body</legend>
        <div className="choices-row">
          {bodyForms.map(([form, title]) => (
            <label key={form} className="choice">
              <input
                type="radio"
                name={`${id}-form`}
                checked={text.bodyForm === form}
                onChange={() => onChange({ ...text, bodyForm: form })}
              />
              {title}
            </label>
          ))}
        </div>
        <BodyPreview form={text.bodyForm} />
      </fieldset>
      <fieldset className="choices">
        <legend>Order of delivery</legend>
        <div className="choices-row">
          {orders.map(([order, title]) => (
            <label key={order} className="choice">
              <input
                type="radio"
                name={`${id}-order`}
                checked={text.deliveryOrder === order}
                onChange={() => onChange({ ...text, deliveryOrder: order })}
              />
              {title}
            </label>
          ))}
        </div>
        <p className="field-hint">{orders.find(([order]) => order === text.deliveryOrder)?.[2]}</p>
      </fieldset>
      <Field
        label="Most attempts in flight"
        hint="How many webhooks it gets at a time, 1 to 256."
        error={fieldError(problem, 'max_in_flight')}
        className="field-short"
      >
        {(props) => (
          <input
            {...props}
            inputMode="numeric"
            value={text.maxInFlight}
            onChange={(event) => onChange({ ...text, maxInFlight: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

interface SigningKeyProps {
  value: string;
  onChange(value: string): void;
  error: string | undefined;
}

function SigningKeyField({ value, onChange, error }: SigningKeyProps) {
  const { api } = useDesk();
  const listId = useId();
  const { data } = useReading('signing keys', () => api.keys.list({ limit: 200 }));
  const living = data?.items.filter((key) => !key.revoked_at) ?? [];
  return (
    <Field
      label="Signing key id"
      error={error}
      hint="The receiver verifies webhooks with this key's API key. Usually a key of the agency."
    >
      {(props) => (
        <>
          <input
            {...props}
            className="mono"
            list={listId}
            inputMode="numeric"
            autoComplete="off"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={listId}>
            {living.map((key) => (
              <option key={key.key_id} value={key.key_id}>
                {key.label ?? ''}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
