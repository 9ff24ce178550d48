/** As much of OpenAPI's form as our own code touches. */
export interface Document {
  paths?: Record<string, PathItem>;
  webhooks?: Record<string, unknown>;
  components?: Components;
  [other: string]: unknown;
}

export interface Components {
  schemas?: Record<string, unknown>;
  responses?: Record<string, unknown>;
  [other: string]: unknown;
}

export type PathItem = Record<string, Operation>;

export interface Operation {
  operationId?: string;
  security?: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, object>;
}

export type Schema = Record<string, unknown>;
