import { expect, test } from "vitest"
import { isOutage } from "../../../../domain/engine/outage-policy.ts"
import { isPassing, translatePostgresError } from "../../../../store/postgres/postgres-error.ts"

const failure = (code: string): Error => Object.assign(new Error("made to fail"), { code })
const translated = (error: unknown) => translatePostgresError(error, "postgres://db/adjutant")

const system = ["ENETDOWN", "EADDRNOTAVAIL", "ECONNABORTED", "EHOSTDOWN", "EMFILE", "ENOBUFS", "ECONNREFUSED", "EPIPE"]

test.each([...system, "25P02", "25P03", "25P04", "57P01", "08006", "40001"])(
  "%s passes: the work is tried again",
  (code) => {
    expect(isPassing(failure(code))).toBe(true)
    expect(isOutage(translated(failure(code)))).toBe(true)
  },
)

/** Codes of the server, of poolers in front of it and of its forks: a list of them is never whole. */
const others = [
  "53400",
  "55006",
  "57014",
  "58030",
  "72000",
  "F0000",
  "HV000",
  "P0001",
  "XX000",
  "XX001",
  "25001",
  "2D000",
]

test.each(others)("%s is an outage of the store", (code) => {
  expect(isOutage(translated(failure(code)))).toBe(true)
})

test.each(["22P02", "22003", "23505", "23503", "42703", "42P01", "42601"])(
  "%s is an error of the statement",
  (code) => {
    const error = failure(code)
    expect(translated(error)).toBe(error)
  },
)

test("an error of the work in a transaction stays what it is", () => {
  const error = new TypeError("a bug")
  expect(translated(error)).toBe(error)
  expect(translated(failure("ERR_INVALID_ARG_TYPE"))).toHaveProperty("code", "ERR_INVALID_ARG_TYPE")
})
