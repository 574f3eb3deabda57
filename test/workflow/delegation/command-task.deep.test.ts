import { access } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, type HarnessOptions, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createTreeModel, readAnnouncements, readToolResults } from "../../helpers/limits/tree-model.ts"

let harness: Harness
const actor = { by: "assistant", via: "mcp" }

const open = async (options: HarnessOptions): Promise<Harness> => {
  harness = await openHarness(options)
  return harness
}

afterEach(() => harness.close())

const neverAsked = createTreeModel(
  () => ({ text: "?" }),
  () => ({ text: "a command asks no model" }),
)

const startCommand = async (input: { command: string; description?: string; timeout_seconds?: number }) => {
  const call = { tool: "run_command_task", input } as const
  const outcome = await harness.client.spawn({ call, caller: "assistant", cwd: harness.cwd, actor })
  if (outcome.kind === "refused") throw new Error(outcome.refusal.error)
  return outcome.child.sessionId
}

const isThere = (file: string) =>
  access(join(harness.cwd, file)).then(
    () => true,
    () => false,
  )

const reportOf = async (id: string) => (await harness.client.report(id)).facts

it("runs a command from outside after the approval that Bash requires, and reports its output", async () => {
  const { client } = await open({ config: {}, model: neverAsked })
  const id = await startCommand({ command: "echo one; echo two > made.txt", description: "Make it" })
  expect(await client.wait(id)).toMatchObject({
    outcome: "paused",
    pause_reason: {
      pending_tool_calls: [{ name: "Bash", arguments: { command: "echo one; echo two > made.txt" } }],
    },
  })
  expect(await isThere("made.txt")).toBe(false)
  // A text would be one more line for the shell: nobody can send one.
  for (const type of ["steering", "follow_up"] as const)
    await expect(client.send({ sessionId: id, text: "please hurry", type, actor })).rejects.toMatchObject({
      code: "invalid_argument",
    })
  const { checkpoint_id } = await client.info(id)
  await client.decide({
    sessionId: id,
    checkpointId: checkpoint_id ?? "",
    all: { action: "accept" },
    unlisted: "pending",
    actor,
  })
  expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "one" })
  expect(await isThere("made.txt")).toBe(true)
  expect(await client.info(id)).toMatchObject({ title: "Make it", depth: 1, usage: { input_tokens: 0 } })
  await expect(client.send({ sessionId: id, text: "rm made.txt", type: "message", actor })).rejects.toMatchObject({
    code: "invalid_argument",
  })
})

it.each([
  ["exit 3", undefined, { status: "failed", error: { code: "command_failed" } }],
  ["sleep 600", 1, { status: "timed_out", error: { code: "timeout" } }],
])("reports a command that does not succeed: %s", async (command, timeout_seconds, facts) => {
  const { client } = await open({ config: { tools: { policy: { Bash: "auto" } } }, model: neverAsked })
  const limit = timeout_seconds === undefined ? {} : { timeout_seconds }
  const id = await startCommand({ command: `echo before; ${command}`, ...limit })
  await client.wait(id)
  await decideAll(id)
  await client.wait(id)
  expect(await reportOf(id)).toMatchObject({ ...facts, result: "before" })
})

/** Approves the call where no sandbox lets it run by policy. */
const decideAll = async (id: string): Promise<void> => {
  await eventually(async () => (await harness.client.info(id)).status !== "pending")
  const { checkpoint_id, status } = await harness.client.info(id)
  if (status !== "paused" || checkpoint_id === null) return
  await harness.client.decide({
    sessionId: id,
    checkpointId: checkpoint_id,
    all: { action: "accept" },
    unlisted: "pending",
    actor,
  })
}

it("shows the last output while it runs, and stops everything on cancel", async () => {
  const { client } = await open({ config: {}, model: neverAsked })
  const id = await startCommand({ command: "echo started; touch running.txt; sleep 600; touch ended.txt" })
  await client.wait(id)
  await decideAll(id)
  await eventually(async () => (await reportOf(id)).result?.includes("started") === true)
  expect(await reportOf(id)).toMatchObject({ status: "running" })
  await client.cancel(id, actor)
  await client.wait(id)
  expect(await reportOf(id)).toMatchObject({ status: "cancelled" })
  expect([await isThere("running.txt"), await isThere("ended.txt")]).toEqual([true, false])
})

it("keeps the last output of a command whose worker was lost, marked as such", async () => {
  const { client, stopWorker, startWorker } = await open({
    config: { timing: { heartbeatTimeoutMs: 1_000 } },
    model: neverAsked,
    shutdownGraceMs: 100,
  })
  const id = await startCommand({ command: "echo 40 percent done; touch running.txt; sleep 600" })
  await client.wait(id)
  await decideAll(id)
  await eventually(async () => (await reportOf(id)).result?.includes("40 percent") === true)
  await stopWorker()
  await startWorker()
  const result = "40 percent done\n[the last output before its worker was lost]"
  expect(await client.wait(id)).toMatchObject({
    outcome: "failed",
    error: { code: "outcome_unknown" },
    partial_output: result,
  })
  expect(await reportOf(id)).toMatchObject({ status: "failed", result })
})

it("runs inside a run with that run's approval, counts as a child, and announces its result", async () => {
  const { client, start } = await open({
    config: { agents: { general: { delegation: "tasks" } }, subagents: { maxChildrenPerAgent: 1 } },
    model: createTreeModel(
      (turn, request) =>
        turn === 1
          ? {
              calls: [
                ["run_command_task", { command: "echo from the child" }],
                ["run_command_task", { command: "echo too many" }],
              ],
            }
          : { text: `offered: ${request.tools.some(({ name }) => name === "run_command_task")}` },
      () => ({ text: "a command asks no model" }),
    ),
  })
  const id = await start({ prompt: "PARENT", auto_approve: true })
  expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "offered: true" })
  const [first, second] = await readToolResults(harness, id)
  expect(first).toContain("Task ID: ")
  expect(second).toContain("TASK_START_FAILED")
  expect((await readAnnouncements(harness, id)).join("\n")).toContain("from the child")
})

it("is offered only where Bash is", async () => {
  let offered: readonly string[] = []
  const { client, start } = await open({
    config: { agents: { general: { delegation: "tasks", tools: ["Read"] } } },
    model: createTreeModel(
      (turn, request) => {
        offered = request.tools.map(({ name }) => name)
        return turn === 1 ? { calls: [["run_command_task", { command: "echo no" }]] } : { text: "ok" }
      },
      () => ({ text: "?" }),
    ),
  })
  const id = await start({ prompt: "PARENT", auto_approve: true })
  await client.wait(id)
  expect(offered).toContain("cancel_task")
  expect(offered).not.toContain("run_command_task")
  expect((await readToolResults(harness, id))[0]).toContain("there is no tool run_command_task")
  await expect(startCommand({ command: "echo no" })).rejects.toMatchObject({ code: "forbidden" })
})
