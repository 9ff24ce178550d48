/** The tables of the back office in the first release. */
import { type Db, run } from './migration.ts';

export async function createBackOfficeTables(db: Db): Promise<void> {
  await run(db, [
    `create table token (
       id text primary key,
       name text not null,
       role text not null,
       digest text not null unique,
       created_at bigint not null,
       revoked_at bigint,
       expires_at bigint,
       last_used_at bigint)`,

    `create table session (
       digest text primary key,
       token_digest text not null,
       created_at bigint not null,
       used_at bigint not null,
       person_id text,
       confirmed_at bigint not null,
       confirm_after bigint not null,
       sealed_tokens text)`,

    `create table person (
       id text primary key,
       issuer text not null,
       subject text not null,
       name text not null,
       email text,
       role text,
       created_at bigint not null,
       signed_in_at bigint not null,
       constraint person_by_subject unique (issuer, subject))`,

    `create table audit (
       id text primary key,
       at bigint not null,
       actor text not null,
       action text not null,
       subject text not null,
       before text,
       after text)`,
    'create index audit_by_subject on audit (subject, at, id)',
    'create index audit_by_actor on audit (actor, at, id)',
    'create index audit_by_action on audit (action, at, id)',
  ]);
}
