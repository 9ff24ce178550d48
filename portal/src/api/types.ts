/**
 * The portal's requests and replies, by the names that its pages use. They come from the OpenAPI document; nothing is
 * written here by hand. Times are ISO 8601 in UTC.
 */
export type * from '@bellhop/support-client/portal';
