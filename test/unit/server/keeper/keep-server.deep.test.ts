import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { keepServer } from "../../../../server/keeper/keep-server.ts"
import { type KeeperOptions, keeperSettings } from "../../../../server/keeper/keeper-settings.ts"
import { liveRecord } from "../../../../server/keeper/start-keeper.ts"
import { lastProcess } from "../../../../server/keeper/launch-temporal.ts"
import { isAlive, signalProcess } from "../../../../server/process/process-identity.ts"
import { serverFiles } from "../../../../server/process/server-files.ts"
import { ensureTemporalProgram } from "../../../../server/program/ensure-temporal-program.ts"
import { eventually } from "../../../helpers/eventually.ts"
import { processesWith } from "../../../helpers/processes.ts"
import { startUser } from "../../../e2e/server/server-user.ts"

let dataDir: string
let stop: AbortController

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "adjutant-keeper-"))
  stop = new AbortController()
})

afterEach(() => {
  vi.restoreAllMocks()
  for (const pid of processesWith(dataDir)) process.kill(pid, "SIGKILL")
  rmSync(dataDir, { recursive: true, force: true })
})

const settingsFor = (program: string): KeeperOptions => keeperSettings({ dataDir, env: process.env }, program)

describe.runIf(process.platform === "linux")("a process that keeps a server", () => {
  it("and whose files were taken away stops the server that it has just started", async () => {
    const { path } = await ensureTemporalProgram({ env: process.env })
    const keeping = keepServer(settingsFor(path), stop.signal)
    keeping.catch(() => undefined)
    await eventually(() => liveRecord(dataDir) !== undefined)
    const record = liveRecord(dataDir)
    if (record === undefined) throw new Error("no server is running")
    // Its next write fails, as it does while the data directory is being removed.
    rmSync(serverFiles(dataDir).process)
    mkdirSync(join(serverFiles(dataDir).process, "taken"), { recursive: true })
    signalProcess(record, "SIGKILL")
    await expect(keeping).rejects.toThrow()
    await eventually(() => processesWith(dataDir).length === 0)
  })

  it("and cannot open its proxy stops the server that it has adopted", async () => {
    const { path } = await ensureTemporalProgram({ env: process.env })
    const user = await startUser(dataDir, { ...process.env })
    const record = liveRecord(dataDir)
    if (record === undefined) throw new Error("no server is running")
    await user.kill()
    expect(isAlive(record)).toBe(true)
    vi.spyOn(Server.prototype, "listen").mockImplementation(function (this: Server) {
      process.nextTick(() => this.emit("error", new Error("no port is free")))
      return this
    })
    await expect(keepServer(settingsFor(path), stop.signal)).rejects.toThrow("no free port")
    await eventually(() => processesWith(dataDir).length === 0)
  })

  it("and waits for it to become ready stops at once", async () => {
    const program = join(dataDir, "never-ready")
    writeFileSync(program, "#!/bin/sh\nexec sleep 600\n", { mode: 0o755 })
    const keeping = keepServer({ ...settingsFor(program), readyTimeoutMs: 600_000 }, stop.signal)
    keeping.catch(() => undefined)
    await eventually(() => existsSync(serverFiles(dataDir).process))
    const server = lastProcess({ dataDir })
    if (server === undefined) throw new Error("no server was started")
    stop.abort()
    await expect(keeping).rejects.toThrow()
    expect(isAlive(server)).toBe(false)
  })
})
