import { type RawBuilder, sql } from "kysely"
import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { SessionPage } from "./session-rows.ts"

/** The position at which a page of a list ended. Opaque to callers; the row itself may no longer exist. */
export interface SessionCursor {
  readonly createdAt: number
  readonly num: number
}

export const encodeCursor = (cursor: SessionCursor): string =>
  Buffer.from(`${cursor.createdAt}.${cursor.num}`).toString("base64url")

/** Parses a cursor. Throws `invalid_argument` for anything that no list of this store returned. */
export const decodeCursor = (text: string): SessionCursor => {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(text, "base64url").toString("latin1"))
  if (match === null)
    throw new AdjutantError(
      "invalid_argument",
      "cursor is not one that a list returned: omit it to start at the first page",
    )
  return { createdAt: Number(match[1]), num: Number(match[2]) }
}

/** Returns whether a session belongs to a page. Positions stay valid while sessions come and go: a job may continue at one hours later. */
export const isInPage = ({ after, until }: SessionPage): RawBuilder<boolean> =>
  until === undefined ? sql`sessions.id > ${after}` : sql`sessions.id > ${after} and sessions.id <= ${until}`
