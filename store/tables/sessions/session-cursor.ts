import { AdjutantError } from "../../../contracts/adjutant-error.ts"

/** Where a page of a list ended. Opaque to callers; the row itself may be gone. */
export interface SessionCursor {
  readonly createdAt: number
  readonly num: number
}

export const encodeCursor = (cursor: SessionCursor): string =>
  Buffer.from(`${cursor.createdAt}.${cursor.num}`).toString("base64url")

/** Throws `invalid_argument` for anything that this store did not give out. */
export const decodeCursor = (text: string): SessionCursor => {
  const match = /^(\d{1,15})\.(\d{1,15})$/.exec(Buffer.from(text, "base64url").toString("latin1"))
  if (match === null)
    throw new AdjutantError(
      "invalid_argument",
      "cursor is not one that a list gave out: leave it out to start at the first page.",
    )
  return { createdAt: Number(match[1]), num: Number(match[2]) }
}
