import { access, readFile, rm, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { AdjutantClient } from "../../../client/create-client.ts"
import { connect } from "../../../client/connect.ts"
import { outcomeDocumentSchema } from "../../../contracts/session/outcome-document.ts"
import type { OutcomeDocument } from "../../../contracts/session/outcome-document.ts"
import { confines } from "../../helpers/confines.ts"
import { describeInDeepRun, isDeep } from "../../helpers/effort.ts"
import { eventually } from "../../helpers/eventually.ts"
import { complaintsOf, createProject } from "./program.ts"
import type { Ended, ProjectDirectory } from "./program.ts"
import { type RemoteProject, startServer } from "./remote-project.ts"

const writeCall = (id: string, file: string) => ({
  id,
  name: "Write",
  arguments: { file_path: file, content: `${id}\n` },
})

const models = {
  main: {
    conversations: [
      {
        when: { user: "^write two" },
        turns: [
          { reply: { text: "May I?", tool_calls: [writeCall("call_a", "a.txt"), writeCall("call_b", "b.txt")] } },
          { reply: { text: "Written." } },
        ],
      },
      {
        when: { user: "^ask" },
        turns: [
          { reply: { text: "Which one?" } },
          { reply: { tool_calls: [{ id: "f", name: "finish", arguments: { result: "That one." } }] } },
        ],
      },
      { when: { user: "^count" }, turns: [{ reply: { text: "Three." } }, { reply: { text: '{"files": 3}' } }] },
      { turns: [{ reply: { text: "Hello." } }, { reply: { text: "Hello again." } }] },
    ],
  },
  slow: { turns: [{ reply: { text: "Late.", delay_ms: 600_000 } }] },
  endless: { turns: [{ repeat: 50, reply: { tool_calls: [{ name: "LS", arguments: {} }] } }] },
}

/** The same commands, on this machine and as a thin client of a server. */
const transports = ["local", "http"] as const

let project: ProjectDirectory
/** Checks from this process: a command for each check would cost more than the test itself. */
let client: AdjutantClient
beforeAll(async () => {
  project = await createProject(models)
  client = await connect({ cwd: project.cwd, env: project.env })
})
afterAll(async () => {
  await client.close()
  await project.remove()
})

const documentOf = (ended: Ended): OutcomeDocument => outcomeDocumentSchema.parse(JSON.parse(ended.stdout))
const pausedOf = (ended: Ended) => {
  const document = documentOf(ended)
  if (document.outcome !== "paused") throw new Error(`expected a pause, got ${ended.stdout}${ended.stderr}`)
  return document
}
const manifestIn = (cwd: string) => path.join(cwd, ".adjutant", "session", "pause.json")
const exists = (file: string) =>
  access(path.join(project.cwd, file)).then(
    () => true,
    () => false,
  )

describe.each(transports)("run and resume (%s)", (transport) => {
  let server: RemoteProject | undefined
  let cli: Pick<ProjectDirectory, "run" | "start" | "cwd">
  /** For a task that asks nobody: a server without a sandbox refuses one that does not say how its Bash may run. */
  let unasked: readonly string[]
  const runUnasked: ProjectDirectory["run"] = (...argv) => cli.run("run", ...argv, ...unasked)
  beforeAll(async () => {
    server = transport === "http" ? await startServer(project) : undefined
    cli = server ?? project
    unasked = transport === "http" && !(await confines()) ? ["--unconfined"] : []
    for (const file of ["a.txt", "b.txt"]) await rm(path.join(project.cwd, file), { force: true })
  })
  afterAll(() => server?.close())

  it("completes with one document on stdout and only this machine's warnings on stderr", async () => {
    const ended = await runUnasked("-a", "hi", "--output", "json")
    expect(complaintsOf(ended)).toMatch(transport === "local" ? await machineWarning() : /^$/)
    expect(ended.code).toBe(0)
    expect(documentOf(ended)).toMatchObject({ outcome: "completed", final_message: "Hello.", steps_taken: 1 })
  })

  it("pauses with exit code 10 and a manifest, runs what is approved, rejects what is not named", async () => {
    const ended = await cli.run("run", "--pause-on-approval", "write two files", "--output", "json")
    const document = pausedOf(ended)
    expect(ended.code).toBe(10)
    expect(document.pause_reason.pending_tool_calls?.map(({ id }) => id)).toEqual(["call_a", "call_b"])
    const place = server === undefined ? "" : ` --server ${server.url}`
    expect(document.resume_hint).toBe(`adjutant run -c ${document.checkpoint_id} --approve-all${place}`)
    expect(JSON.parse(await readFile(manifestIn(cli.cwd), "utf8"))).toEqual(document)
    expect((await stat(manifestIn(cli.cwd))).mode & 0o777).toBe(0o600)
    expect(await exists("a.txt")).toBe(false)

    const next = await cli.run("run", "-c", document.checkpoint_id, "--approve", "call_a", "--output", "json")
    expect(pausedOf(next)).toMatchObject({ task_id: document.task_id, pause_reason: { type: "input_required" } })
    expect([await exists("a.txt"), await exists("b.txt")]).toEqual([true, false])
    const log = await cli.run("log", document.task_id, "--tools")
    expect(log.stdout).toContain("Write → rejected")

    const stale = await cli.run("run", "-c", document.checkpoint_id, "--approve-all")
    expect(stale).toMatchObject({ code: 2, stdout: "" })
    expect(stale.stderr).toContain("is no longer open")

    const audit = await project.run("audit", document.task_id, "--output", "json")
    expect(JSON.stringify(JSON.parse(audit.stdout).items)).toContain(transport === "local" ? "cli" : "http")
  })

  // Everything else has the same code on both ways, and costs twice as much.
  if (transport === "http" && !isDeep) return

  it("continues a completed task with a new run in the same session", async () => {
    const first = documentOf(await runUnasked("hi", "--output", "json"))
    if (first.outcome !== "completed") throw new Error("expected completion")
    const second = documentOf(await cli.run("resume", first.task_id, "and now?", "--output", "json"))
    expect(second).toMatchObject({ outcome: "completed", task_id: first.task_id, final_message: "Hello again." })
  })

  it("pauses for input and accepts a text as the answer", async () => {
    const document = pausedOf(await cli.run("run", "--pause-on-approval", "ask me", "--output", "json"))
    expect(document).toMatchObject({ agent_message: "Which one?", pause_reason: { type: "input_required" } })
    const answered = await cli.run("resume", document.checkpoint_id, "the left one", "--output", "json")
    expect(documentOf(answered)).toMatchObject({ outcome: "completed", final_message: "That one." })
    await expect(stat(manifestIn(cli.cwd))).rejects.toThrow("ENOENT")
  })

  it("runs every allowed tool without --pause-on-approval", async () => {
    const ended = await runUnasked("write two files", "--output", "json")
    expect(documentOf(ended)).toMatchObject({ outcome: "completed", final_message: "Written." })
  })

  it("fails with exit code 1, its stop reason and its steps at a limit", async () => {
    const ended = await runUnasked("go", "--model", "endless", "--max-steps", "3", "--output", "json")
    expect(ended.code).toBe(1)
    expect(documentOf(ended)).toMatchObject({ outcome: "failed", stop_reason: "max_steps", steps_taken: 3 })
  })

  it("completes only with a result that validates against --output-schema", async () => {
    const file = path.join(cli.cwd, "count.schema.json")
    await writeFile(file, JSON.stringify({ type: "object", properties: { files: { type: "integer" } } }))
    const ended = await runUnasked("count files", "--output-schema", "count.schema.json", "--output", "json")
    expect(documentOf(ended)).toMatchObject({ outcome: "completed", result: { files: 3 }, steps_taken: 2 })
    await writeFile(file, "{")
    const refused = await runUnasked("count files", "--output-schema", "count.schema.json")
    expect(refused).toMatchObject({ code: 2, stderr: "adjutant: --output-schema count.schema.json is not JSON\n" })
    await writeFile(file, '{"type": "nonsense"}')
    const invalid = await runUnasked("count files", "--output-schema", "count.schema.json")
    expect(invalid).toMatchObject({ code: 2, stdout: "" })
    expect(invalid.stderr).toContain("the output schema cannot be used")
  })

  it("prints one event per line, then the document, as ndjson", async () => {
    const { stdout } = await runUnasked("hi", "--output", "ndjson")
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines[0]).toMatchObject({ type: "run-started" })
    expect(lines.at(-2)).toMatchObject({ type: "run-finished" })
    expect(lines.at(-1)).toMatchObject({ outcome: "completed" })
  })

  const signals = [
    ["SIGTERM", 143],
    ["SIGINT", 130],
  ] as const
  it.each(isDeep ? signals : signals.slice(0, 1))(
    "%s cancels the run, which is then shown as cancelled",
    async (signal, code) => {
      const running = cli.start("run", "go", "--model", "slow", "--output", "json", "--verbose", ...unasked)
      const listed = await untilRunning()
      running.child.kill(signal)
      const ended = await running.ended
      expect(ended.code).toBe(code)
      expect(documentOf(ended)).toMatchObject({ outcome: "failed", stop_reason: "cancelled", task_id: listed })
      expect(await client.info(listed)).toMatchObject({ status: "cancelled" })
    },
  )
})

describeInDeepRun("run and resume with other processes", () => {
  it("is cancelled from another process, and by a command alone if no worker serves it", async () => {
    const document = pausedOf(await project.run("run", "--pause-on-approval", "write two files", "--output", "json"))
    const cancelled = await project.run("cancel", document.task_id, "--output", "json")
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ status: "cancelled" })
    expect(await project.run("cancel", document.task_id)).toMatchObject({ code: 0 })
  })

  it("leaves the work of --detach to a worker that runs", async () => {
    const worker = project.start("worker")
    await worker.stderrHas("worker ready")
    const started = documentOf(await project.run("run", "hi", "--detach", "--output", "json"))
    expect(started.outcome).toBe("started")
    const waited = await project.run("wait", started.task_id, "--output", "json")
    expect(documentOf(waited)).toMatchObject({ outcome: "completed", final_message: "Hello." })
    worker.child.kill("SIGTERM")
    expect((await worker.ended).code).toBe(0)
  })

  it("leaves the run to another worker with --detach-on-signal", async () => {
    const running = project.start("run", "go", "--model", "slow", "--output", "json", "--detach-on-signal")
    const id = await untilRunning()
    running.child.kill("SIGTERM")
    const ended = await running.ended
    expect(ended.code).toBe(143)
    expect(documentOf(ended)).toMatchObject({ outcome: "started", task_id: id })
    expect(await client.info(id)).toMatchObject({ status: "running" })
    const cancelled = await project.run("cancel", id)
    expect(cancelled.stdout, JSON.stringify(await client.info(id))).toContain("cancelled")
  })
})

/** What stderr contains if this machine has no sandbox. */
const machineWarning = async (): Promise<RegExp> => {
  // An earlier command of this project can have shown it.
  const warning = /^(?:warning: no sandbox works here, so Bash is left out of runs that ask nobody: .+\n)?$/
  return (await confines()) ? /^$/ : warning
}

/** Returns the id of the one running session. */
const untilRunning = async (): Promise<string> => {
  let ids: readonly string[] = []
  await eventually(
    async () => {
      const { items } = await client.list({ status: "running" })
      ids = items.map(({ id }) => id)
      return ids.length === 1
    },
    { timeoutMs: 60_000 },
  )
  return ids[0] ?? ""
}
