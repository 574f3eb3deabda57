import type { Status } from "../../contracts/status.ts"

/** Returns the final message of a run; null if there is none. A completed run may have an empty one. */
export const finalMessageOf = (row: { readonly status: Status; readonly finalMessage: string | null }): string | null =>
  row.finalMessage === "" && row.status !== "completed" ? null : row.finalMessage
