import { expect, test } from "vitest"
import { isOutage } from "../../../../domain/engine/outage-policy.ts"
import { translateSqliteError } from "../../../../store/sqlite/sqlite-error.ts"

const sqliteError = (errcode: number): Error =>
  Object.assign(new Error("made to fail"), { code: "ERR_SQLITE_ERROR", errcode })
const translated = (error: unknown) => translateSqliteError(error, "/data/store.db")

/** Result codes of SQLite: all primary ones but those of a statement itself, and some extended ones. */
const outages = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 22, 23, 24, 26, 266, 522, 3850]

test.each(outages)("SQLite's code %i is an outage of the store", (errcode) => {
  expect(isOutage(translated(sqliteError(errcode)))).toBe(true)
})

test.each([1, 18, 19, 20, 21, 25, 787, 2067])("SQLite's code %i is an error of the statement", (errcode) => {
  const error = sqliteError(errcode)
  expect(translated(error)).toBe(error)
})

test.each(["EIO", "ENOSPC", "EMFILE", "EROFS"])("%s while the log is synced is an outage of the store", (code) => {
  expect(isOutage(translated(Object.assign(new Error("made to fail"), { code })))).toBe(true)
})

test("an error of the work in a transaction stays what it is", () => {
  const error = new TypeError("a bug")
  expect(translated(error)).toBe(error)
})
