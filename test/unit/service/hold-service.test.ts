import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { holdService, waitToHold } from "../../../service/hold-service.ts"
import { findService } from "../../../service/ask-service.ts"
import { serviceFiles } from "../../../service/service-files.ts"

const dataDirectory = async (): Promise<string> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "adjutant-hold-"))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
  return dataDir
}

const holder = path.resolve(import.meta.dirname, "../../../service/hold-service.ts")

/** Starts a process that is the service of a data directory until it is killed. */
const startHolder = async (dataDir: string) => {
  const code = `
    import { holdService } from ${JSON.stringify(holder)}
    const held = holdService(${JSON.stringify(dataDir)})
    held?.publish({ socket: "/nowhere", pid: process.pid })
    process.stdout.write(held === undefined ? "refused" : "held")
    setInterval(() => undefined, 1_000)`
  const args = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", code]
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const [said] = await once(child.stdout, "data")
  return { child, said: String(said) }
}

it("makes one process the service, until that process has been killed", async () => {
  const dataDir = await dataDirectory()
  const { child, said } = await startHolder(dataDir)
  expect(said).toBe("held")
  expect(holdService(dataDir)).toBeUndefined()
  child.kill("SIGKILL")
  await once(child, "exit")
  expect(existsSync(serviceFiles(dataDir).address)).toBe(true)
  const hold = holdService(dataDir)
  expect(hold).toBeDefined()
  expect(existsSync(serviceFiles(dataDir).address)).toBe(false)
  hold?.release({ clean: true })
})

it("ignores an address file without a held lock, also one that names a running process", async () => {
  const dataDir = await dataDirectory()
  holdService(dataDir)?.release({ clean: true })
  writeFileSync(serviceFiles(dataDir).address, JSON.stringify({ socket: "/nowhere", pid: process.pid }))
  expect(await findService(dataDir)).toBeUndefined()
  const hold = await waitToHold(dataDir, { signal: new AbortController().signal, timeoutMs: 0 })
  expect(hold).toBeDefined()
  hold?.release({ clean: true })
})

it("counts a service that ended on purpose as no death", async () => {
  const dataDir = await dataDirectory()
  const { starts } = serviceFiles(dataDir)
  const first = holdService(dataDir)
  writeFileSync(starts, "[1]")
  first?.release({ clean: false })
  expect(existsSync(starts)).toBe(true)
  holdService(dataDir)?.release({ clean: true })
  expect(existsSync(starts)).toBe(false)
})
