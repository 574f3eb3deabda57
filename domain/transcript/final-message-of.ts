import type { Status } from "../../contracts/status.ts"

/** What an agent said last: null where it said nothing. A run that completed may well end with an empty text. */
export const finalMessageOf = (row: { readonly status: Status; readonly finalMessage: string | null }): string | null =>
  row.finalMessage === "" && row.status !== "completed" ? null : row.finalMessage
