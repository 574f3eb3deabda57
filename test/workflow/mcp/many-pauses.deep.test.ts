import { existsSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { connectClient } from "./client-rig.ts"

let harness: Harness
afterEach(() => harness.close())

describe("a client that shows forms", () => {
  const pauses = 11
  const writer = (_: unknown, turn: number): FakeReply =>
    turn <= pauses
      ? { calls: [["Write", { file_path: `${turn}.txt`, content: `${turn}` }]] }
      : { text: `wrote ${pauses} files` }
  const writing = { description: "files", instructions: "write", tools: ["Write"] }

  it.each([true, false])(
    "decides more pauses in two waits than one call may ask for (newer revision: %s)",
    async (isModern) => {
      harness = await openHarness({ model: createFakeModel(writer) })
      let forms = 0
      const onForm = () => {
        forms += 1
        return { action: "accept", content: { decision: "approve" } } as const
      }
      const { call } = await connectClient(harness, { isModern, onForm })
      const id = String((await call("dynamic_subagent_task", writing)).data["task_id"])
      const first = await call("wait_for_tasks", { task_ids: [id] })
      expect(first).toMatchObject({ isError: false, data: { tasks: [{ status: "paused" }] } })
      expect(forms).toBe(8)
      expect(String(first.data["notes"])).toContain("wait again")
      const second = await call("wait_for_tasks", { task_ids: [id] })
      expect(second).toMatchObject({ data: { tasks: [{ status: "completed", result: "wrote 11 files" }] } })
      for (let file = 1; file <= pauses; file += 1) expect(existsSync(join(harness.cwd, `${file}.txt`))).toBe(true)
    },
  )
})
