import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { keepServer } from "../../../server/keeper/keep-server.ts"
import type { KeeperOptions } from "../../../server/keeper/keeper-options.ts"
import { keeperSettings } from "../../../server/keeper/keeper-settings.ts"
import { spawnKeeper } from "../../../server/keeper/spawn-keeper.ts"
import { keeperOf } from "../../../server/keeper/server-record.ts"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { lastProcess } from "../../../server/process/launch-temporal.ts"
import { isAlive, signalProcess } from "../../../server/process/process-identity.ts"
import { serverFiles } from "../../../server/process/server-files.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { eventually } from "../../helpers/eventually.ts"
import { processesWith } from "../../helpers/processes.ts"

let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "adjutant-keeper-"))
})

afterEach(() => {
  vi.restoreAllMocks()
  for (const pid of processesWith(dataDir)) process.kill(pid, "SIGKILL")
  rmSync(dataDir, { recursive: true, force: true })
})

/** Starts a keeper that serves without users. Resolves when it ends: true if it succeeded. */
const startKeeper = (program: string, changes: Partial<KeeperOptions> = {}): Promise<boolean> => {
  const settings = keeperSettings({ dataDir, env: {} }, program)
  return spawnKeeper({ ...settings, lingerMs: 600_000, ...changes }, process.env)
}

/** Starts a keeper, and waits until it serves. */
const startServer = async () => {
  const { path } = await ensureTemporalProgram({ env: process.env })
  const keeper = startKeeper(path)
  await eventually(() => liveRecord(dataDir) !== undefined)
  const record = liveRecord(dataDir)
  if (record === undefined) throw new Error("no server is running")
  return { path, keeper, record }
}

describe.runIf(process.platform === "linux")("a keeper", () => {
  it("whose files were taken away stops the server that it has just started, and ends", async () => {
    const { keeper, record } = await startServer()
    // Its next write fails, as it does while the data directory is being removed.
    rmSync(serverFiles(dataDir).process)
    mkdirSync(join(serverFiles(dataDir).process, "taken"), { recursive: true })
    signalProcess(record, "SIGKILL")
    expect(await keeper).toBe(false)
    expect(processesWith(dataDir)).toEqual([])
  })

  it("that cannot open its proxy stops the server that it has adopted, and ends", async () => {
    const { path, keeper: killed, record } = await startServer()
    process.kill(keeperOf(record).pid, "SIGKILL")
    expect(await killed).toBe(false)
    expect(isAlive(record)).toBe(true)
    vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server) {
      process.nextTick(() => this.emit("error", new Error("no port is free")))
      return this
    })
    const next = keeperSettings({ dataDir, env: {} }, path)
    await expect(keepServer(next, new AbortController().signal)).rejects.toThrow("no free port")
    expect(processesWith(dataDir)).toEqual([])
  })

  it("that waits for its server to become ready ends at once with SIGTERM", async () => {
    const program = join(dataDir, "never-ready")
    writeFileSync(program, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 })
    const keeper = startKeeper(program, { readyTimeoutMs: 600_000 })
    await eventually(() => existsSync(serverFiles(dataDir).process))
    const server = lastProcess({ dataDir })
    if (server === undefined) throw new Error("no server was started")
    for (const pid of processesWith(dataDir)) process.kill(pid, "SIGTERM")
    expect(await keeper).toBe(true)
    expect(isAlive(server)).toBe(false)
  })
})
