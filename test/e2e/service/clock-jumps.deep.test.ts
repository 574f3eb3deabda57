import { existsSync, globSync } from "node:fs"
import { appendFile, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { Client, Connection } from "@temporalio/client"
import { expect } from "vitest"
import { stringify } from "yaml"
import { isServerRecord } from "../../../server/keeper/server-record.ts"
import { readWhole, serverFiles } from "../../../server/process/server-files.ts"
import { openStore } from "../../../store/open-store.ts"
import { askEngine } from "../../chaos/checks/played-history.ts"
import { eventually } from "../../helpers/eventually.ts"
import { checkHistory } from "../../helpers/history/check-history.ts"
import { readSessions } from "../../helpers/history/read-history.ts"
import { testWith } from "../../helpers/needs.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

// The clock of the machine jumps by hours, as after a wrong time zone, a dead battery or a first synchronisation: limits, schedules and the order of
// what is recorded must not depend on it. Temporal's clock stays, so that the two differ by hours.

const [library] = globSync("/usr/lib/*/faketime/libfaketime.so.1")
const needs = [{ name: "faketime", isAvailable: library !== undefined }]

/** How far the clock of the service is off, one after another. */
const jumps = [
  ["+5h", 5],
  ["+0", 0],
  ["-5h", -5],
  ["+0", 0],
] as const

const command = "echo begun >> ran; while [ ! -e go ]; do sleep 0.1; done; rm go; echo ended >> ran"
const turns = [
  { reply: { tool_calls: [{ name: "Bash", arguments: { command } }] } },
  { reply: { tool_calls: [{ name: "Write", arguments: { file_path: "written", content: "x" } }] } },
  { reply: { text: "Done." } },
]
const agents = { ticker: { model: "quick" } }
const schedules = { tick: { cron: "* * * * *", agent: "ticker", prompt: "Tick.", catchUpMinutes: 1 } }

interface Task {
  readonly id: string
  readonly label: string | null
  readonly status: string
}

const tasksOf = async (project: ProjectDirectory): Promise<readonly Task[]> => {
  const { stdout } = await project.run("list", "--limit", "200", "--output", "json")
  return (JSON.parse(stdout) as { readonly items: readonly Task[] }).items
}

const checkWhole = async ({ dataDir }: ProjectDirectory, ids: readonly string[]): Promise<readonly string[]> => {
  const address = readWhole(serverFiles(dataDir).record, isServerRecord)?.address ?? ""
  const connection = await Connection.connect({ address })
  const store = await openStore({ url: "sqlite:", dataDir })
  try {
    const sessions = await readSessions(store, askEngine(new Client({ connection })), ids)
    const messages = ids.map((sessionId) => ({ sessionId, text: "go" }))
    return checkHistory({ told: { messages, decisions: [], cancels: [] }, effects: [], sessions })
  } finally {
    await store.close()
    await connection.close()
  }
}

testWith(
  needs,
  "a clock that jumps by hours ends no run, doubles no task of a schedule, and loses nothing",
  async () => {
    const quick = { turns: [{ reply: { text: "Ticked." } }] }
    // The file with the schedule is the test's own.
    await using project = await createProject({ main: { turns }, quick }, { ADJUTANT_TRUST: "1" })
    await appendFile(path.join(project.cwd, "adjutant.config.yaml"), stringify({ agents, schedules }))
    const offset = path.join(project.cwd, "offset")
    const jump = (to: string) => writeFile(offset, to)
    await jump("+0")
    const faked = {
      ...{ LD_PRELOAD: library ?? "", FAKETIME_TIMESTAMP_FILE: offset, FAKETIME_NO_CACHE: "1" },
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    }
    const service = project.startWith(faked, "service", "run")
    await service.stderrHas("service ready")
    const begunAt = performance.now()
    const [ran, go] = [path.join(project.cwd, "ran"), path.join(project.cwd, "go")]
    const ids: string[] = []
    for (const [to, hours] of jumps) {
      await rm(ran, { force: true })
      const run = project.start("run", "go", "--timeout", "600", "--output", "json")
      await eventually(() => existsSync(ran), { timeoutMs: 60_000 })
      await jump(to)
      await delay(2_000)
      await writeFile(go, "")
      const { code, stdout, stderr } = await run.ended
      expect([to, code], stderr).toEqual([to, 0])
      const { outcome, task_id: id } = JSON.parse(stdout)
      expect([to, outcome]).toEqual([to, "completed"])
      expect(await readFile(ran, "utf8")).toBe("begun\nended\n")
      ids.push(id)
      // The clock did jump.
      const info = JSON.parse((await project.run("info", id, "--output", "json")).stdout) as { updated_at: string }
      expect((Date.parse(info.updated_at) - Date.now()) / 3_600_000).toBeCloseTo(hours, 0)
      const known = new Set((await tasksOf(project)).map((task) => task.id))
      // The schedule starts its next task in time, whatever the clock says.
      const next = async () =>
        (await tasksOf(project)).some((task) => !known.has(task.id) && task.status === "completed")
      await eventually(next, { timeoutMs: 90_000, everyMs: 2_000 })
    }
    const ticks = (await tasksOf(project)).filter(({ label }) => label?.startsWith("tick/") === true)
    expect(ticks.length).toBeLessThanOrEqual(Math.ceil((performance.now() - begunAt) / 60_000) + 1)
    expect(await checkWhole(project, ids)).toEqual([])
    service.child.kill("SIGTERM")
    expect((await service.ended).code).toBe(0)
  },
  900_000,
)
