import { afterEach, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createTreeModel, readToolResults } from "../../helpers/limits/tree-model.ts"
import type { FakeReply } from "../../helpers/models/fake-model.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }

afterEach(() => harness.close())

const writes: FakeReply = { calls: [["Write", { file_path: "x.txt", content: "x" }]] }

/** A parent that spawns one child, which asks for a Write, and then only repeats `again` until its child has reported. */
const open = async (again: FakeReply): Promise<Harness> => {
  harness = await openHarness({
    model: createTreeModel(
      (turn, { messages }) => {
        if (turn === 1) return { calls: [["sessions_spawn", { task: "child" }]] }
        return JSON.stringify(messages).includes("child-report") ? { text: "all done" } : again
      },
      (_, turn) => (turn === 1 ? writes : { text: "child-report" }),
    ),
  })
  return harness
}

const approve = async ({ client }: Harness): Promise<void> => {
  const [asked] = (await client.approvals()).items
  await client.decide({
    sessionId: asked?.session_id ?? "",
    checkpointId: asked?.checkpoint_id ?? "",
    all: { action: "accept" },
    unlisted: "pending",
    actor,
  })
}

describe("an agent that waits for a paused child again and again", () => {
  it.each([
    ["sessions_yield", { calls: [["sessions_yield", {}]] }],
    ["subagents wait", { calls: [["subagents", { action: "wait", target: "#1" }]] }],
  ] satisfies readonly [string, FakeReply][])(
    "pauses with it, and continues after the decision: %s",
    async (_, again) => {
      const { client, start } = await open(again)
      const id = await start({ prompt: "PARENT", auto_approve: false })
      const document = await client.wait(id)
      expect(document).toMatchObject({
        outcome: "paused",
        pause_reason: { type: "tool_approval_required", pending_tool_calls: [{ name: "Write" }] },
      })
      expect((await client.info(id)).steps_taken).toBeLessThanOrEqual(3)
      expect((await client.approvals()).items).toHaveLength(1)
      await approve(harness)
      await eventually(async () => (await client.info(id)).status === "completed")
      expect((await client.info(id)).steps_taken).toBeLessThanOrEqual(5)
    },
  )

  it("is not woken by a time limit while only a person can change something", async () => {
    const { client, start } = await open({
      calls: [["wait_for_tasks", { task_ids: "#1", timeout_seconds: 0.2 }]],
    })
    const allowed_tools = ["sessions_spawn", "wait_for_tasks", "Write"]
    const id = await start({ prompt: "PARENT", auto_approve: false, allowed_tools })
    await eventually(async () => (await client.info(id)).status === "paused")
    const before = (await client.info(id)).steps_taken
    expect(before).toBeLessThanOrEqual(6)
    await approve(harness)
    await eventually(async () => (await client.info(id)).status === "completed")
  })

  it("that calls finish instead waits from the second call on", async () => {
    const { client, start } = await open({ calls: [["finish", { result: "too soon" }]] })
    const id = await start({ prompt: "PARENT", auto_approve: false, pause_on_approval: true })
    expect(await client.wait(id)).toMatchObject({ outcome: "paused" })
    await eventually(async () => (await client.info(id)).status === "paused")
    expect((await client.info(id)).steps_taken).toBeLessThanOrEqual(4)
    await approve(harness)
    await eventually(async () => (await client.info(id)).checkpoint_id !== null)
    expect((await readToolResults(harness, id)).at(-1)).toContain("have ended only now")
  })
})
