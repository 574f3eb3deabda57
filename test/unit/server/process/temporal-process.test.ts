import { tmpdir } from "node:os"
import { expect, test } from "vitest"
import { temporalEnvironment } from "../../../../server/process/temporal-process.ts"

// The server asks who its user is, and did not start for a user id that the system does not know.

test("a user whom the system does not know has a name and a home directory", () => {
  expect(temporalEnvironment({})).toEqual({ USER: "adjutant", HOME: tmpdir() })
})

test("other users keep theirs, and no secret is passed on", () => {
  const own = { PATH: "/usr/bin", HOME: "/home/ana", USER: "ana", TZ: "UTC" }
  expect(temporalEnvironment({ ...own, ANTHROPIC_API_KEY: "secret", TEMPORAL_API_KEY: "secret" })).toEqual(own)
})
