import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Primary result codes of SQLite that are the world's fault, not the program's. */
const code = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notADatabase: 26,
} as const

const resultCode = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined

export const isBusy = (error: unknown): boolean => {
  const result = resultCode(error)
  return result === code.busy || result === code.locked
}

const sentence = (result: number, path: string): string | undefined => {
  switch (result) {
    case code.busy:
    case code.locked:
      return `Another process keeps the session store ${path} locked: end it (or wait for it) and try again.`
    case code.readOnly:
      return `The session store ${path} cannot be written to: make the file and its folder writable and try again.`
    case code.ioError:
      return `Reading or writing the session store ${path} failed: check the disk and try again.`
    case code.full:
      return `The disk that holds the session store ${path} is full: free some space and try again.`
    case code.cantOpen:
      return `The session store ${path} cannot be opened: check that the path is a file and that its folder is writable.`
    case code.corrupt:
    case code.notADatabase:
      return `The session store ${path} is damaged or not a SQLite file: restore it from a backup or choose another data directory.`
    default:
      return undefined
  }
}

/** What the disk or the file caused becomes `storage_failed`; everything else stays as it is. */
export const translateSqliteError = (error: unknown, path: string): unknown => {
  const result = resultCode(error)
  const message = result === undefined ? undefined : sentence(result, path)
  return message === undefined ? error : new AdjutantError("storage_failed", message, { cause: error })
}
