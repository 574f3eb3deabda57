import { mkdtemp, rm, writeFile } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { serverFiles } from "../../../../server/process/server-files.ts"
import { startFailure } from "../../../../server/keeper/start-failure.ts"

let dataDir: string
beforeEach(async () => (dataDir = await mkdtemp(path.join(os.tmpdir(), "adjutant-start-"))))
afterEach(() => rm(dataDir, { recursive: true }))

const roomy = 1024 ** 3

describe("startFailure", () => {
  it("reports that the disk is full, and what to do", () => {
    expect(startFailure(dataDir, 4096)).toMatchObject({
      code: "temporal_unavailable",
      message: `the embedded Temporal server could not be started: the disk of ${dataDir} is full; free some space, or choose another directory with --data-dir`,
    })
  })

  it("quotes the server's last lines", async () => {
    await writeFile(serverFiles(dataDir).log, "starting\nError: database is malformed\n")
    expect(startFailure(dataDir, roomy).message).toContain("could not be started (Error: database is malformed): read ")
  })

  it("quotes the keeper, and the server's last complaint", async () => {
    const keeper = '{"level":"ERROR","msg":"keeper: the Temporal server ended before it was ready"}'
    await writeFile(serverFiles(dataDir).log, `Error: database is malformed\n${keeper}\n`)
    expect(startFailure(dataDir, roomy).message).toContain(
      "could not be started (the Temporal server ended before it was ready; Error: database is malformed): read ",
    )
    await writeFile(serverFiles(dataDir).log, `{"level":"WARN","msg":"of an earlier start"}\n${keeper}\n`)
    expect(startFailure(dataDir, roomy).message).toContain("(the Temporal server ended before it was ready): read ")
  })

  it("omits missing lines", () => {
    expect(startFailure(dataDir, roomy).message).toContain("could not be started: read ")
  })
})
