import { mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { serverFiles } from "../../../server/server-files.ts"
import { startFailure } from "../../../server/start-failure.ts"

let dataDir: string
beforeEach(async () => (dataDir = await mkdtemp(path.join(os.tmpdir(), "adjutant-start-"))))
afterEach(() => rm(dataDir, { recursive: true }))

const roomy = 1024 ** 3

describe("startFailure", () => {
  it("says that the disk is full, and what to do then", () => {
    expect(startFailure(dataDir, 4096)).toMatchObject({
      code: "temporal_unavailable",
      message: `The embedded Temporal server could not be started: the disk of ${dataDir} is full. Free some space, or choose another place with --data-dir.`,
    })
  })

  it("quotes the server's last words", async () => {
    await writeFile(serverFiles(dataDir).log, "starting\nError: database is malformed\n")
    expect(startFailure(dataDir, roomy).message).toContain("could not be started (Error: database is malformed): read ")
  })

  it("leaves out words that there are not", () => {
    expect(startFailure(dataDir, roomy).message).toContain("could not be started: read ")
  })
})
