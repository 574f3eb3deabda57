import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { ensureServer } from "../../../server/ensure-server.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { isAlive } from "../../../server/process/process-identity.ts"
import type { RunningServer } from "../../../server/running-server.ts"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { describeInDeepRun } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createBareEnvironment, writePrograms } from "../../helpers/fake-programs.ts"

// The time limit for a server to answer included the build of its program: a longer build failed after it was
// done.

/**
 * The limit that a build would exceed if it counted. The Temporal process's own limit cannot: nothing starts
 * it yet.
 */
const limits = { answerTimeoutMs: 100, downloadStallMs: 1_000, progressEveryMs: 100 }
/** A server that starts twice on a busy machine needs as long. */
const keeperTimeoutMs = 15_000
/** A build takes longer than each of them. */
const buildSeconds = 16

let home: string
let servers: { readonly server: RunningServer; readonly dataDir: string }[]

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "adjutant-bare-"))
  servers = []
})
afterEach(async () => {
  for (const { server, dataDir } of servers) {
    const record = liveRecord(dataDir)
    await server.release()
    await eventually(() => record === undefined || !isAlive(record))
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
})

/** A stand-in for Go that prints packages, takes its time, and then installs a program that works. */
const slowGo = async (): Promise<string> => {
  const { path } = await ensureTemporalProgram({ env: process.env })
  return [
    'case "$1" in install) ;; *) exit 1 ;; esac',
    `echo run >> '${home}/runs'`,
    "echo 'go: downloading go.temporal.io/server v1.29.1' >&2",
    "echo internal/goarch >&2; echo go.temporal.io/server/common >&2",
    `sleep ${buildSeconds}`,
    `ln -s '${path}' "$GOBIN/temporal"`,
  ].join("\n")
}

const start = async (name: string, over: object = {}): Promise<readonly string[]> => {
  const dataDir = join(home, name)
  mkdirSync(dataDir, { mode: 0o700 })
  const lines: string[] = []
  const env = createBareEnvironment(home, join(home, "bin"))
  const server = await ensureServer({
    dataDir,
    env,
    limits: { ...limits, ...over },
    onProgress: (line) => void lines.push(line),
  })
  servers.push({ server, dataDir })
  return lines
}

test("a start waits with progress for a build that takes longer than every limit", async () => {
  writePrograms(join(home, "bin"), { go: await slowGo() })
  const lines = await start("one", { keeperTimeoutMs })
  const progress = lines.filter((line) => line.startsWith("building the Temporal server once"))
  expect(progress.length).toBeGreaterThan(3)
  expect(progress.at(-1)).toMatch(/… \d+ s, 2 of about 1300 packages$/)
})

describeInDeepRun("of another process", () => {
  test("a start waits as long for another process's build, with its progress, and the build happens once", async () => {
    writePrograms(join(home, "bin"), { go: await slowGo() })
    const both = await Promise.all([start("one"), start("two")])
    const waited = both.find((lines) => lines.some((line) => line.startsWith("waiting for another command")))
    expect(waited?.join("\n")).toMatch(/another command \(process \d+\): building the Temporal server once .* … \d+ s/)
    expect(readFileSync(join(home, "runs"), "utf8")).toBe("run\n")
  })
})
