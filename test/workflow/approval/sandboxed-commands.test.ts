import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { detectSandbox } from "../../../tools/sandbox/detect-sandbox.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createTreeModel, readToolResults } from "../../helpers/limits/tree-model.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
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
