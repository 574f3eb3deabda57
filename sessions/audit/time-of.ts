import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Returns the time that an argument names, in milliseconds since the epoch. @throws AdjutantError `invalid_argument` */
export const timeOf = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined) return undefined
  const ms = Date.parse(text)
  if (Number.isNaN(ms))
    throw new AdjutantError("invalid_argument", `${name}: ${text} is not a time: use a form like 2026-11-28T10:00:00Z`)
  return ms
}
