import { PostgresAdapter } from "kysely"
import type { Reader } from "./database.ts"

/** Returns whether a connection is one to PostgreSQL. The others are to SQLite, whose transactions that write run one after another. */
export const isPostgres = (db: Reader): boolean => db.getExecutor().adapter instanceof PostgresAdapter
