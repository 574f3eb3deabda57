import type { Migration } from "../migration.ts"

/** Answers to requests that may be sent twice: the sender, the key and the expiry. */
export const idempotencyKeys: Migration = {
  version: 2,
  sqlite: [
    `create table idempotency_keys (
      scope text not null, key text not null, fingerprint text not null, claimed_at integer not null,
      expires_at integer not null, status integer, body text, primary key (scope, key)) strict, without rowid`,
    "create index idempotency_keys_expiry on idempotency_keys (expires_at)",
  ],
  postgres: [
    `create table idempotency_keys (
      scope text not null, key text not null, fingerprint text not null, claimed_at bigint not null,
      expires_at bigint not null, status bigint, body text, primary key (scope, key))`,
    "create index idempotency_keys_expiry on idempotency_keys (expires_at)",
  ],
}
