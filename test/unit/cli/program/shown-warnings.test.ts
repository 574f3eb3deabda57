import { mkdtemp, rm, stat } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { createLogger } from "../../../../cli/program/logger.ts"
import { rememberWarnings } from "../../../../cli/program/shown-warnings.ts"
import { oncePerProject } from "../../../../domain/once-per-project.ts"

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(path.join(os.tmpdir(), "adjutant-warnings-"))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

/** What one command of the project shows. */
const shown = (folder: string): string => {
  let text = ""
  const sink = { write: (piece: string) => void (text += piece) }
  const isNewWarning = rememberWarnings(folder)
  const logger = createLogger({ sink, verbose: false, format: "lines", redact: (piece) => piece, isNewWarning })
  logger.warn(oncePerProject, "no sandbox")
  logger.warn("this run")
  return text
}

test("a warning about the project is shown by its first command only, one about the run by each", async () => {
  expect(shown(dataDir)).toBe("warning: no sandbox\nwarning: this run\n")
  expect(shown(dataDir)).toBe("warning: this run\n")
  expect((await stat(path.join(dataDir, "shown-warnings"))).mode & 0o777).toBe(0o600)
})

test("a warning is shown each time where it cannot be remembered", () => {
  const missing = path.join(dataDir, "missing")
  expect([shown(missing), shown(missing)]).toEqual(Array(2).fill("warning: no sandbox\nwarning: this run\n"))
})

test("the reason of a failure is shown whether it is logged as err or as error", () => {
  let text = ""
  const sink = { write: (piece: string) => void (text += piece) }
  const logger = createLogger({ sink, verbose: false, format: "lines", redact: (piece) => piece })
  logger.warn({ session_id: "k3x9ab", error: new Error("disk full") }, "a session could not be cancelled")
  expect(text).toBe("warning: a session could not be cancelled (session_id=k3x9ab, error=disk full)\n")
})
