import { type Kysely, PostgresAdapter, type Transaction } from "kysely"
import type { DatabaseSchema } from "../schema/schema.ts"

/** What a commit survives: a `crash` of the process, at no extra cost; or a `power-cut`, at the cost of a sync to disk. */
export type Durability = "crash" | "power-cut"

export type Reader = Kysely<DatabaseSchema>
export type Writer = Transaction<DatabaseSchema>

/** Returns milliseconds since the epoch. */
export type Clock = () => number

/** That the store does not accept writes, as this process has seen it. */
export interface WriteOutage {
  /** Milliseconds since the epoch. */
  readonly sinceMs: number
  readonly reason: string
}

/** The database that the tables of the store share. If the disk, file or server fails, its methods reject with `storage_failed`. */
export interface Database {
  /** Reads committed data. Several statements may see different states. */
  read<T>(query: (db: Reader) => Promise<T>): Promise<T>
  /** Runs a transaction that excludes other writers. Its body awaits only queries. By default the commit survives a power cut. */
  write<T>(body: (db: Writer) => Promise<T>, outlasts?: Durability): Promise<T>
  /** Returns that the last write failed because of the store, if it did. */
  outage(): WriteOutage | undefined
  /** Resolves when everything that was committed before the call survives a power cut. */
  synced(): Promise<void>
  readonly now: Clock
  /** Returns the time that all processes of the store share, in milliseconds since the epoch. */
  sharedNow(db: Reader): Promise<number>
  /** Returns a number that changes when another connection has committed since the last call. Cheap. */
  changeCounter(): number
  /** Notifies other processes that events were committed; absent if `changeCounter` detects this by itself. Never fails. */
  notifyReaders?(): void
  /** Gives the space of deleted rows back to the file system, in steps between which others write; absent if the server does this by itself. */
  shrink?(): Promise<void>
  close(): Promise<void>
}

/** The part of a pino logger that the store uses. */
export interface StoreLogger {
  warn(details: Readonly<Record<string, unknown>>, message: string): void
}

/** Returns whether a connection is one to PostgreSQL. The others are to SQLite, whose transactions that write run one after another. */
export const isPostgres = (db: Reader): boolean => db.getExecutor().adapter instanceof PostgresAdapter
