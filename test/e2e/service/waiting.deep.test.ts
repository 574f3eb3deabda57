import { spawn } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { liveRecord } from "../../../server/keeper/start-keeper.ts"
import { findService } from "../../../service/ask-service.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createProject, type Ended, launcher, type ProjectDirectory } from "../cli/program.ts"

const held = "echo begun >> ran; while [ ! -e go ]; do sleep 0.1; done; echo ended >> ran"
const key = "sk-brought-by-a-waiting-command"

let project: ProjectDirectory
beforeAll(async () => {
  project = await createProject({
    main: { turns: [{ reply: { text: "Hello." } }] },
    slow: { turns: [{ reply: { text: "Late.", delay_ms: 3_000 } }] },
    held: {
      turns: [
        { reply: { tool_calls: [{ name: "Bash", arguments: { command: held } }] } },
        { reply: { text: "Done." } },
      ],
    },
    endless: { turns: [{ reply: { text: "Never.", delay_ms: 600_000 } }] },
  })
})
afterAll(() => project.remove())

const pidOfService = async (): Promise<number | undefined> => (await findService(project.dataDir))?.status.pid

const documentOf = ({ stdout, stderr }: Ended): Record<string, unknown> => {
  if (stdout === "") throw new Error(stderr)
  return JSON.parse(stdout)
}

const running = async (): Promise<readonly string[]> => {
  const { stdout } = await project.run("list", "--status", "running", "--output", "json")
  return JSON.parse(stdout).items.map(({ id }: { readonly id: string }) => id)
}

describe("commands that wait", () => {
  it("are clients of one service, and start it again when it was killed", async () => {
    const waiting = [1, 2, 3].map(() =>
      project.startWith({ OPENAI_API_KEY: key }, "run", "go", "--model", "slow", "--output", "json"),
    )
    await eventually(async () => (await running()).length === 3, { timeoutMs: 60_000 })
    const killed = await pidOfService()
    process.kill(killed ?? 0, "SIGKILL")
    for (const { ended } of waiting) {
      const end = await ended
      expect(end.code, end.stderr).toBe(0)
      expect(documentOf(end)).toMatchObject({ outcome: "completed", final_message: "Late." })
    }
    expect(await pidOfService()).not.toBe(killed)
  })

  it("lose nothing when their whole session is killed", async () => {
    const { cwd, env } = project
    const argv = [launcher, "run", "go", "--model", "slow"]
    const terminal = spawn(process.execPath, argv, { cwd, env, detached: true, stdio: "ignore" })
    let id: string | undefined
    await eventually(async () => (id = (await running())[0]) !== undefined, { timeoutMs: 60_000 })
    process.kill(-(terminal.pid ?? 0), "SIGKILL")
    const waited = await project.run("wait", id ?? "", "--output", "json")
    expect(documentOf(waited)).toMatchObject({ outcome: "completed", final_message: "Late." })
  })

  it("end right when Temporal was killed under their service, which repeats nothing", async () => {
    const ran = () => readFile(path.join(project.cwd, "ran"), "utf8").catch(() => "")
    const waiting = project.start("run", "go", "--model", "held", "--output", "json")
    await eventually(async () => (await ran()) === "begun\n", { timeoutMs: 60_000 })
    const [service, killed] = [await pidOfService(), liveRecord(project.dataDir)]
    process.kill(killed?.pid ?? 0, "SIGKILL")
    await eventually(() => (liveRecord(project.dataDir)?.pid ?? killed?.pid) !== killed?.pid, { timeoutMs: 60_000 })
    await writeFile(path.join(project.cwd, "go"), "")
    const end = await waiting.ended
    expect(documentOf(end), end.stderr).toMatchObject({ outcome: "completed", final_message: "Done." })
    expect(await ran()).toBe("begun\nended\n")
    expect(liveRecord(project.dataDir)).toMatchObject({ address: killed?.address })
    expect(await pidOfService()).toBe(service)
  })

  it("end with 1 and their task's id when the service is stopped on purpose", async () => {
    const waiting = project.start("run", "go", "--model", "endless", "--output", "json")
    await eventually(async () => (await running()).length === 1, { timeoutMs: 60_000 })
    const [id] = await running()
    expect((await project.run("service", "stop", "--now")).code).toBe(0)
    const end = await waiting.ended
    expect([end.code, documentOf(end)], end.stderr).toMatchObject([1, { outcome: "started", task_id: id }])
    expect(end.stderr).toContain(`task ${id} rests`)
    expect(await pidOfService()).toBeUndefined()
    // Only a new command starts it.
    expect(documentOf(await project.run("cancel", id ?? "", "--output", "json"))).toMatchObject({ status: "cancelled" })
  })
})

describe("with CI set", () => {
  it("the last command ends the service and waits for its end", async () => {
    await project.run("service", "stop")
    const { code, stdout } = await project.runWith({ CI: "true" }, "run", "hi")
    expect([code, stdout]).toEqual([0, "Hello.\n"])
    expect(await pidOfService()).toBeUndefined()
    expect((await project.run("service", "logs", "--lines", "1")).stdout).toBe("service stopping: nothing to do\n")
  })
})
