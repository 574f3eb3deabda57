import path from "node:path"
import { execa } from "execa"
import { expect } from "vitest"
import { testWith } from "../../../helpers/needs.ts"
import { postgres } from "../../../helpers/store/store-under-test.ts"

const root = path.resolve(import.meta.dirname, "../../../..")

/** What happens to sessions, without an engine: these tests say nothing about the database, and run with SQLite by default. */
const stories = ["test/unit/sessions", "test/unit/client", "test/unit/activities"]

testWith([postgres()], "the stories of sessions have the same ends with PostgreSQL", async () => {
  const argv = ["scripts/vitest.ts", "--project", "unit", "--project", "io", "--bail", "0", ...stories]
  const { exitCode, stdout, stderr } = await execa("node", argv, {
    cwd: root,
    env: { ADJUTANT_TEST_STORE: "postgres" },
    reject: false,
  })
  expect(exitCode, `${stderr.slice(-8_000)}\n${stdout.slice(-2_000)}`).toBe(0)
})
