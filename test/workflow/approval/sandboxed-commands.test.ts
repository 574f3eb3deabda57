import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { detectSandbox } from "../../../tools/sandbox/detect-sandbox.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createTreeModel, readToolResults } from "../../helpers/limits/tree-model.ts"
import { createFakeModel, createFakeTurns } from "../../helpers/models/fake-model.ts"
import { describeWith } from "../../helpers/needs.ts"

// A sandbox that the caller asked for skipped the approval policy, although it can write to the working directory.

const confined = (await detectSandbox("auto")).confined
const remove = 'rm -rf precious.txt src; echo kept > "$ADJUTANT_SCRATCH/note"; cat "$ADJUTANT_SCRATCH/note"'
const config = {
  agents: { general: { delegation: "sessions" as const } },
  tools: { policy: { Bash: "prompt" as const } },
}

let harness: Harness
afterEach(() => harness.close())

const pendingNames = async () =>
  (await harness.client.approvals()).items.map(({ pending }) => pending.map(({ name }) => name))

describeWith([{ name: "bubblewrap", isAvailable: confined }], "a command in a sandbox that was asked for", () => {
  it.each([
    ["over HTTP", {}],
    ["by --sandbox with --pause-on-approval", { pause_on_approval: true }],
  ])("waits for approval: %s", async (_, options) => {
    harness = await openHarness({
      config,
      model: createFakeTurns({ calls: [["Bash", { command: remove }]] }, { text: "end" }),
    })
    await writeFile(join(harness.cwd, "precious.txt"), "x")
    const id = await harness.start({ auto_approve: false, sandbox: true, ...options })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "paused" })
    expect(await pendingNames()).toEqual([["Bash"]])
    expect(await readdir(harness.cwd)).toContain("precious.txt")
    await harness.client.cancel(id, { by: "test", via: "cli" })
  })

  it("waits for approval in a sub-agent that an agent started with sandbox: require", async () => {
    harness = await openHarness({
      config,
      model: createTreeModel(
        (turn) =>
          turn === 1 ? { calls: [["sessions_spawn", { task: "child", sandbox: "require" }]] } : { text: "end" },
        (_, turn) => (turn === 1 ? { calls: [["Bash", { command: remove }]] } : { text: "done" }),
      ),
    })
    await writeFile(join(harness.cwd, "precious.txt"), "x")
    const id = await harness.start({ prompt: "PARENT", auto_approve: false })
    await harness.client.wait(id)
    expect(await pendingNames()).toEqual([["Bash"]])
    expect(await readdir(harness.cwd)).toContain("precious.txt")
    await harness.client.cancel(id, { by: "test", via: "cli" })
  })

  it("runs unasked with enable_sandbox, cannot change the working directory, and has a scratch folder", async () => {
    harness = await openHarness({
      config: { ...config, agents: { general: { delegation: "tasks" } } },
      model: createTreeModel(
        (turn, request) => {
          const task = { description: "run", instructions: "child", tools: ["Bash", "Write"], enable_sandbox: true }
          if (turn === 1) return { calls: [["dynamic_subagent_task", task]] }
          const id = /Task ID: (\w+)/.exec(JSON.stringify(request.messages))?.[1] ?? ""
          return turn === 2 ? { calls: [["wait_for_tasks", { task_ids: id }]] } : { text: `end ${id}` }
        },
        (_, turn) => {
          if (turn === 1) return { calls: [["Bash", { command: remove }]] }
          if (turn === 2) return { calls: [["Bash", { command: 'cat "$ADJUTANT_SCRATCH/note"' }]] }
          return turn === 3 ? { calls: [["Write", { file_path: "new.txt", content: "x" }]] } : { text: "done" }
        },
      ),
    })
    await writeFile(join(harness.cwd, "precious.txt"), "x")
    const id = await harness.start({ prompt: "PARENT", auto_approve: false })
    await harness.client.wait(id)
    expect(await pendingNames()).toEqual([["Write"]])
    expect(await readdir(harness.cwd)).toContain("precious.txt")
    const [child] = (await harness.client.list({ parent: id })).items
    const results = await readToolResults(harness, child?.id ?? "")
    expect(results[0]).toContain("Read-only file system")
    expect(results[1]).toContain("kept")
    await harness.client.cancel(id, { by: "test", via: "cli" })
  })
})

// A run that asks nobody executed Bash with all rights of the worker.
describe("where no sandbox works, a run", () => {
  /** An image that is on no machine: the backend works nowhere. */
  const broken = { security: { sandboxBackends: ["docker" as const], dockerImage: "adjutant-missing:1" } }

  const play = async (options: Record<string, unknown>, given: object = broken) => {
    const offered: boolean[] = []
    harness = await openHarness({
      config: given,
      model: createFakeModel((request, turn) => {
        offered.push(request.tools.some(({ name }) => name === "Bash"))
        return turn === 1 ? { calls: [["Bash", { command: "touch ran" }]] } : { text: "end" }
      }),
    })
    const id = await harness.start({ auto_approve: true, ...options })
    const document = await harness.client.wait(id)
    return { offered, document, results: await readToolResults(harness, id), files: await readdir(harness.cwd) }
  }

  it("that asks nobody is not offered Bash, and its calls are refused", async () => {
    const { offered, results, files, document } = await play({})
    // The run says so: the log of the service is not in front of who started it.
    const warning = { code: "sandbox_unavailable", message: expect.stringMatching(/Bash is left out.*as unconfined/) }
    expect(document).toMatchObject({ outcome: "completed", warnings: [warning] })
    expect(offered).toEqual([false, false])
    expect(results[0]).toContain("may only run in a sandbox")
    expect(files).toEqual([])
  })

  it("that asks nobody and was started with --unconfined runs Bash", async () => {
    const { offered, files, document } = await play({ sandbox: "off" })
    expect(offered).toEqual([true, true])
    expect(document).not.toHaveProperty("warnings")
    expect(files).toEqual(["ran"])
  })

  it("that asks nobody runs Bash if the configuration switches sandboxes off", async () => {
    expect((await play({}, { security: { sandbox: "off" } })).files).toEqual(["ran"])
  })

  it("that follows policy asks about Bash", async () => {
    const { document, files } = await play({ auto_approve: false }, { ...broken, tools: { policy: { Bash: "auto" } } })
    expect(document).toMatchObject({ outcome: "paused" })
    expect(files).toEqual([])
  })

  it("of a program that must be confined is refused when it is proposed, and nobody is asked about it", async () => {
    harness = await openHarness({
      config: {
        security: { ...broken.security, allowBinaryAgents: true },
        agents: { tool: { type: "binary", command: "touch", args: ["ran"] } },
      },
      model: createFakeModel(() => ({ text: "end" })),
    })
    const id = await harness.start({ agent: "tool", auto_approve: false, sandbox: true })
    const error = {
      code: "sandbox_unavailable",
      message: expect.stringContaining("binary:tool may only run in a sandbox"),
    }
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "failed", error })
    expect(await readdir(harness.cwd)).toEqual([])
  })

  it("without a sandbox is started for no caller who may not approve", async () => {
    harness = await openHarness({ config: broken, model: createFakeModel(() => ({ text: "end" })) })
    const authority = { approval: "policy" as const, directories: "any" as const }
    const started = harness.start({ sandbox: "off", actor: { by: "ci", via: "http", authority } })
    await expect(started).rejects.toMatchObject({ code: "forbidden" })
  })
})
