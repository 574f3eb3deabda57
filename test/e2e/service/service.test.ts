import { readdir, readFile, stat } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ServiceStatus } from "../../../contracts/service/service-status.ts"
import { describeInDeepRun } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { isServerRecord } from "../../../server/keeper/server-record.ts"
import { readWhole, serverFiles } from "../../../server/process/server-files.ts"
import { findService } from "../../../service/ask-service.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

const secret = "sk-the-secret-of-this-test"

let project: ProjectDirectory
beforeAll(async () => {
  project = await createProject({ main: { turns: [{ reply: { text: "Hello." } }] } }, { OPENAI_API_KEY: secret })
})
afterAll(async () => {
  await project.run("service", "stop", "--now")
  await project.remove()
})

const dataDir = (): string => project.dataDir

/** Returns what the service says about itself; undefined if none answers. */
const status = async (): Promise<ServiceStatus | undefined> => (await findService(dataDir()))?.status

const runningPid = async (): Promise<number> => {
  const found = await status()
  if (found === undefined) throw new Error("no service answers")
  return found.pid
}

/** Kills the service, and returns its process id. */
const killService = async (): Promise<number> => {
  const pid = await runningPid()
  process.kill(pid, "SIGKILL")
  await eventually(async () => (await status()) === undefined)
  return pid
}

const dataFiles = async (): Promise<readonly string[]> => {
  const entries = await readdir(dataDir(), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
}

describe("the service", () => {
  it("is started once by commands that start it at the same moment, and outlives them", async () => {
    const starts = await Promise.all([1, 2, 3].map(() => project.run("service", "start", "--output", "json")))
    expect(starts.map(({ code, stderr }) => [code, /service_unavailable|error/.test(stderr)])).toEqual(
      starts.map(() => [0, false]),
    )
    const pids = new Set(starts.map(({ stdout }) => JSON.parse(stdout).pid))
    expect(pids.size).toBe(1)
    const { code, stdout } = await project.run("service", "status", "--output", "json")
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { state: "running", pid: [...pids][0], kind: "on-demand" }])
    // Where its path would be too long for a socket, it is in another folder.
    const socket = (await findService(dataDir()))?.socket ?? ""
    expect((await stat(socket)).mode & 0o777).toBe(0o600)
    expect((await stat(path.dirname(socket))).mode & 0o777).toBe(0o700)
  })

  it("says that it runs while Temporal does not answer", async () => {
    const server = readWhole(serverFiles(dataDir()).record, isServerRecord)
    if (server === undefined) throw new Error("no Temporal server runs")
    process.kill(server.pid, "SIGSTOP")
    try {
      const { stdout } = await project.run("service", "status", "--output", "json")
      expect(JSON.parse(stdout)).toMatchObject({ state: "running" })
    } finally {
      process.kill(server.pid, "SIGCONT")
    }
  })

  it("is shown by doctor", async () => {
    const { stdout } = await project.run("doctor", "--output", "json")
    const finding = JSON.parse(stdout).items.find(({ name }: { name: string }) => name === "service")
    expect(finding).toMatchObject({ status: "ok", detail: expect.stringContaining(`pid ${await runningPid()}`) })
  })

  it("gives a link that signs in to the page once", async () => {
    const opened = await project.run("open", "--output", "json")
    const { page, signs_in } = JSON.parse(opened.stdout)
    expect([opened.code, signs_in]).toEqual([0, true])
    const url = new URL(page)
    const code = new URLSearchParams(url.hash.slice(1)).get("code")
    const token = () =>
      fetch(`${url.origin}/page-token`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ code }),
      })
    expect([(await token()).status, (await token()).status]).toEqual([200, 401])
  })

  it("keeps the variables of the command that started it in its memory only", async () => {
    const pid = await runningPid()
    for (const name of ["environ", "cmdline"])
      expect(await readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "")).not.toContain(secret)
    for (const file of await dataFiles()) expect((await readFile(file)).includes(secret), file).toBe(false)
  })

  it("hands over to adjutant dev, which is the service while it runs", async () => {
    const before = await runningPid()
    const dev = project.start("dev", "--port", "0")
    await dev.stderrHas("listening on")
    expect(await status()).toMatchObject({ pid: dev.child.pid, kind: "foreground" })
    expect(dev.child.pid).not.toBe(before)
    const holder = `the process ${dev.child.pid} is the service of ${dataDir()}`
    expect((await project.run("service", "run")).stderr).toContain(`${holder}: stop it first`)
    const worker = project.start("worker")
    await worker.stderrHas("worker ready")
    expect(worker.stderr()).toContain(`${holder}; this one works in addition to it, and its end stops nothing`)
    worker.child.kill("SIGTERM")
    expect((await worker.ended).code).toBe(0)
    expect(await status()).toMatchObject({ pid: dev.child.pid })
    dev.child.kill("SIGTERM")
    expect((await dev.ended).code).toBe(0)
    expect(await status()).toBeUndefined()
  })

  it("is replaced after it was killed, and says what rests when it is stopped", async () => {
    await project.run("service", "start")
    const killed = await killService()
    await project.run("service", "start")
    expect(await runningPid()).not.toBe(killed)
    const stopped = await project.run("service", "stop")
    expect([stopped.code, stopped.stdout]).toEqual([0, "The service has stopped. No task is open.\n"])
    expect((await project.run("service", "logs", "--lines", "1")).stdout).toBe(
      "service stopping: calls in flight finish first\n",
    )
  })
})

describeInDeepRun("a service that dies again and again", () => {
  it("is not started a fourth time within a minute, and the command names the log", async () => {
    for (const _ of [1, 2, 3]) {
      expect((await project.run("service", "start")).code).toBe(0)
      await killService()
    }
    expect((await project.run("doctor")).stdout).toMatch(/FAIL +service +it ended several times within a minute/)
    const refused = await project.run("service", "start")
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/ended 3 times within a minute.*service\.log/),
    ])
  })
})
