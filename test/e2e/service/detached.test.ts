import { readdir, readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { parse, stringify } from "yaml"
import { findService } from "../../../service/ask-service.ts"
import { eventually } from "../../helpers/eventually.ts"
import { startChatModel } from "../../helpers/providers/chat-model.ts"
import { createChatText } from "../../helpers/providers/chat-wire.ts"
import type { FakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import { createProject, type Ended, type ProjectDirectory } from "../cli/program.ts"

const secret = "sk-the-secret-of-the-detached-run"

let project: ProjectDirectory
let provider: FakeProvider
/** What the model `late` waits for before it answers. */
let held = Promise.withResolvers<void>()
const answer = (): void => held.resolve()
beforeAll(async () => {
  provider = await startChatModel(async () => {
    await held.promise
    return createChatText("Late.")
  })
  project = await createProject({ main: { turns: [{ reply: { text: "Hello." } }] } })
  const file = path.join(project.cwd, "adjutant.config.yaml")
  const config = parse(await readFile(file, "utf8"))
  config.models.late = { provider: "openai-compatible", model: "late", baseUrl: `${provider.url}/v1` }
  await writeFile(file, stringify(config))
  Object.assign(project.env, { ADJUTANT_TRUST: "1" })
})
beforeEach(() => void (held = Promise.withResolvers()))
afterEach(answer)
afterAll(async () => {
  await project.remove()
  await provider.close()
})

const documentOf = ({ stdout, stderr }: Ended): Record<string, unknown> => {
  if (stdout === "") throw new Error(stderr)
  return JSON.parse(stdout)
}

const service = async (): Promise<number | undefined> => (await findService(project.dataDir))?.status.pid

const start = async (...argv: readonly string[]): Promise<string> => {
  const ended = await project.runWith({ OPENAI_API_KEY: secret }, ...argv, "--output", "json")
  const document = documentOf(ended)
  expect([ended.code, document["outcome"]], ended.stderr).toEqual([0, "started"])
  return String(document["task_id"])
}

/** Returns whether a process shows a text to other processes. */
const shows = async (pid: string, text: string): Promise<boolean> => {
  const read = (name: string) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "")
  return (await Promise.all(["environ", "cmdline"].map(read))).some((content) => content.includes(text))
}

describe("a run whose terminal is closed", () => {
  it("continues in the service, which the command has started", async () => {
    const { child, ended } = project.start("run", "go", "--model", "late", "--output", "json")
    const running = async () => {
      const { items } = JSON.parse((await project.run("list", "--status", "running", "--output", "json")).stdout)
      return items[0]?.id
    }
    await eventually(async () => (await running()) !== undefined)
    const pid = await service()
    child.kill("SIGHUP")
    const end = await ended
    const document = documentOf(end)
    expect([end.code, document["outcome"]], end.stderr).toEqual([129, "started"])
    expect([await service(), pid]).toEqual([pid, expect.any(Number)])
    answer()
    const waited = await project.run("wait", String(document["task_id"]), "--output", "json")
    expect(documentOf(waited)).toMatchObject({ outcome: "completed", final_message: "Late." })
  })
})

describe("a detached run", () => {
  it("is carried by the service, which the command starts, and by the same one afterwards", async () => {
    const id = await start("run", "hi", "--detach")
    const pid = await service()
    expect(pid).toBeGreaterThan(0)
    expect(documentOf(await project.run("wait", id, "--output", "json"))).toMatchObject({
      outcome: "completed",
      final_message: "Hello.",
    })
    const spawned = await start("spawn", "general", "hi")
    expect(documentOf(await project.run("wait", spawned, "--output", "json"))).toMatchObject({ outcome: "completed" })
    expect(await service()).toBe(pid)
  })

  it("leaves the variables of its command in no file of the data directory, and in no process", async () => {
    const entries = await readdir(project.dataDir, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
    expect(files.length).toBeGreaterThan(3)
    for (const file of files) expect((await readFile(file)).includes(secret), file).toBe(false)
    const pids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name))
    for (const pid of pids) expect(await shows(pid, secret), pid).toBe(false)
  })

  it("continues when the service was killed, as soon as a command starts another one", async () => {
    const id = await start("run", "go", "--model", "late", "--detach")
    const asked = provider.requests.length + 1
    const killed = await service()
    process.kill(killed ?? 0, "SIGKILL")
    await eventually(async () => (await service()) === undefined)
    await start("run", "hi", "--detach")
    expect(await service()).not.toBe(killed)
    await provider.waitForRequest(asked)
    answer()
    expect(documentOf(await project.run("wait", id, "--output", "json"))).toMatchObject({
      outcome: "completed",
      final_message: "Late.",
    })
  })
})

describe("stop --all-projects", () => {
  it("says which services it ends, and ends them and their tasks", async () => {
    const id = await start("run", "go", "--model", "late", "--detach")
    const pid = await service()
    const stopped = await project.run("stop", "--all-projects", "--output", "json")
    expect(stopped.stderr).toContain(`${project.dataDir}: the service ${pid}, 1 running, 0 paused`)
    expect([stopped.code, documentOf(stopped)]).toMatchObject([
      0,
      { items: [{ data_dir: project.dataDir, state: "stopped", tasks: [{ session_id: id, status: "cancelled" }] }] },
    ])
    expect(await service()).toBeUndefined()
  })
})
