import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isOfSystem, systemCode } from "../../domain/text/error-message.ts"

/** Primary result codes of SQLite. */
const code = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  tooBig: 18,
  constraint: 19,
  mismatch: 20,
  misuse: 21,
  range: 25,
  notADatabase: 26,
} as const

const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined

export const isBusy = (error: unknown): boolean => {
  const result = resultCode(error)
  return result === code.busy || result === code.locked
}

/** Errors of the statement itself: trying again would not help. Whatever else fails is the disk, the system or another process. */
const ownFaults: ReadonlySet<number> = new Set([
  ...[code.error, code.tooBig, code.constraint],
  ...[code.mismatch, code.misuse, code.range],
])

const problemText = (result: number, path: string): string | undefined => {
  if (ownFaults.has(result)) return undefined
  switch (result) {
    case code.busy:
    case code.locked:
      return `another process has locked the session store ${path}: wait for it or end it, then try again`
    case code.readOnly:
      return `the session store ${path} is not writable: make the file and its folder writable and try again`
    case code.ioError:
      return `reading or writing the session store ${path} failed: check the disk and try again`
    case code.full:
      return `the disk is full: free some space for the session store ${path} and try again`
    case code.cantOpen:
      return `the session store ${path} cannot be opened: check that the path is a file and that its folder is writable`
    case code.corrupt:
    case code.notADatabase:
      return `the session store ${path} is damaged or not a SQLite file: restore it from a backup or use another data directory`
    default:
      return `the session store ${path} failed with SQLite's code ${result}: try again, and check the disk and the memory of the machine`
  }
}

/** Translates errors of the disk, the file or the system to `storage_failed`; returns any other error unchanged. */
export const translateSqliteError = (error: unknown, path: string): unknown => {
  // The write-ahead log is synced by the system's own functions.
  const result = isOfSystem(systemCode(error) ?? "") ? code.ioError : resultCode(error)
  const message = result === undefined ? undefined : problemText(result, path)
  return message === undefined ? error : new AdjutantError("storage_failed", message, { cause: error })
}
