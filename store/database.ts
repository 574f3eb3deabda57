import type { Kysely, Transaction } from "kysely"
import type { Schema } from "./schema.ts"

/** What a commit outlasts: a `crash` of the process costs nothing extra; a `power-cut` costs a sync of the disk. */
export type Durability = "crash" | "power-cut"

export type Reader = Kysely<Schema>
export type Writer = Transaction<Schema>

/** Returns milliseconds since the epoch. */
export type Clock = () => number

/** The database that the tables of the store share. Failures of disk, file or server reject with `storage_failed`. */
export interface Database {
  /** Reads what is committed. Several statements need not see the same state. */
  read<T>(query: (db: Reader) => Promise<T>): Promise<T>
  /** One transaction that excludes other writers. Its body awaits nothing but queries. Outlasts a power cut where nothing else is said. */
  write<T>(body: (db: Writer) => Promise<T>, outlasts?: Durability): Promise<T>
  readonly now: Clock
  /** A number that differs when another connection has committed since the last call. Cheap. */
  version(): number
  /** Tells other processes that events were committed; absent where `version` sees it by itself. Never fails. */
  announce?(): void
  close(): Promise<void>
}
