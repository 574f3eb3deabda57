import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isServerRecord } from "../../../server/keeper/server-record.ts"
import { readWhole, serverFiles } from "../../../server/process/server-files.ts"
import { findService } from "../../../service/ask-service.ts"
import { eventually } from "../../helpers/eventually.ts"
import { processesBelow } from "../../helpers/processes.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

// A lid is closed while a command runs: no process works for longer than a heartbeat may take. The times are those of a shorter limit: 90 s
// are one and a half of the default, and 20 minutes are twenty times as long.

const heartbeatTimeoutMs = 2_000

let project: ProjectDirectory
beforeAll(async () => {
  const command = "echo begun >> ran; while [ ! -e go ]; do sleep 0.1; done; rm go; echo ended >> ran"
  const call = { name: "Bash", arguments: { command } }
  project = await createProject(
    { main: { turns: [{ reply: { tool_calls: [call] } }, { reply: { text: "Done." } }] } },
    {
      ADJUTANT_TEST_TIMING: JSON.stringify({ heartbeatTimeoutMs }),
    },
  )
})
afterAll(() => project.remove())

const ran = (): Promise<string> => readFile(path.join(project.cwd, "ran"), "utf8").catch(() => "")

/** Returns the processes by what they are. */
const processesOf = async (client: number | undefined) => {
  const service = (await findService(project.dataDir))?.status.pid
  const server = readWhole(serverFiles(project.dataDir).record, isServerRecord)
  if (client === undefined || service === undefined || server === undefined) throw new Error("a process is missing")
  const commands = processesBelow(service).filter((pid) => pid !== server.pid && pid !== server.keeperPid)
  return {
    service: [service],
    keeper: [server.keeperPid],
    "Temporal server": [server.pid],
    client: [client],
    machine: [server.pid, server.keeperPid, service, client, ...commands],
  }
}

/** A process that only waited for a moment has ended by now. */
const signal = (pid: number, name: "SIGSTOP" | "SIGCONT"): void => {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
  }
}

describe("a command that runs while", () => {
  it.each([
    ["machine", 1.5],
    ["machine", 20],
    ["service", 3],
    ["keeper", 3],
    ["Temporal server", 3],
    ["client", 3],
  ] as const)("the %s is stopped for %d heartbeat timeouts ends, and ran once", async (which, timeouts) => {
    await writeFile(path.join(project.cwd, "ran"), "")
    const run = project.start("run", "go", "--output", "json")
    await eventually(async () => (await ran()) === "begun\n", { timeoutMs: 120_000 })
    const stopped = (await processesOf(run.child.pid))[which]
    for (const pid of stopped) signal(pid, "SIGSTOP")
    await delay(timeouts * heartbeatTimeoutMs)
    for (const pid of stopped) signal(pid, "SIGCONT")
    // A further attempt of the call would run, or end it, within this time.
    await delay(2 * heartbeatTimeoutMs)
    expect(await ran()).toBe("begun\n")
    await writeFile(path.join(project.cwd, "go"), "")
    const { code, stdout, stderr } = await run.ended
    expect([code, stderr]).toMatchObject([0, expect.any(String)])
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "completed", final_message: "Done." })
    expect(await ran()).toBe("begun\nended\n")
    const log = await project.run("log", JSON.parse(stdout).task_id, "--output", "json")
    expect(log.stdout).not.toContain("unknown")
  })
})
