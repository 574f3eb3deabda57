import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { untilPasses } from "../helpers/eventually.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { createTreeModel, readAnnouncements, readToolResults } from "../helpers/limits/tree-model.ts"
import { createFakeModel, type FakeReply } from "../helpers/models/fake-model.ts"

let harness: Harness

afterEach(() => harness.close())

const empty: FakeReply = { text: "" }

/** Runs a model that gives these answers, and then only empty ones. */
const run = async (turns: readonly FakeReply[], options: Readonly<Record<string, unknown>> = {}) => {
  const model = createFakeModel((_, turn) => turns[turn - 1] ?? empty)
  // Where no sandbox works, the run would also be warned of that.
  harness = await openHarness({ model, config: { security: { sandbox: "off" } } })
  const id = await harness.start({ prompt: "go", ...options })
  const document = await harness.client.wait(id)
  const rows = await harness.client.messages(id)
  return { id, document, asked: rows.filter(({ message }) => message.role === "user" && message.source === "notice") }
}

describe("a run whose model says nothing", () => {
  it("is asked for its report once, without a step of its own, and fails", async () => {
    const { document, asked } = await run([])
    expect(document).toMatchObject({ outcome: "failed", stop_reason: "error", error: { code: "no_answer" } })
    expect(document).toMatchObject({ steps_taken: 1, usage: { output_tokens: 10 } })
    expect(asked.map(({ message }) => message)).toMatchObject([{ text: expect.stringContaining("report your result") }])
  })

  it("completes if it then reports, with what both answers have used", async () => {
    const { id, document } = await run([empty, { text: "done" }], { max_steps: 1 })
    expect(document).toMatchObject({ outcome: "completed", final_message: "done", steps_taken: 1 })
    expect(document).toMatchObject({ usage: { output_tokens: 10 } })
    const { events } = await harness.store.events.read(id, { after: 0, limit: 100 })
    const count = (wanted: string) => events.filter(({ type }) => type === wanted).length
    expect([count("step-started"), count("usage-updated")]).toEqual([1, 2])
  })

  it("completes with a warning if it has changed something", async () => {
    const { id, document } = await run([{ calls: [["Write", { file_path: "a.txt", content: "a" }]] }])
    const warnings = [{ code: "no_answer", message: expect.stringContaining("gave no answer") }]
    expect(document).toMatchObject({ outcome: "completed", final_message: "", steps_taken: 2, warnings })
    expect(await harness.client.info(id)).toMatchObject({ warnings })
    const { events } = await harness.store.events.read(id, { after: 0, limit: 100 })
    expect(events.find(({ type }) => type === "run-finished")).toMatchObject({ warnings })
  })

  it("fails if it has only looked", async () => {
    const { document } = await run([{ calls: [["LS", {}]] }])
    expect(document).toMatchObject({ outcome: "failed", error: { code: "no_answer" } })
  })

  it("fails if its only call was asked about again instead of run, and then rejected", async () => {
    const edit = ["Edit", { file_path: "a.txt", old_string: "one", new_string: "1" }] as const
    const model = createFakeModel((_, turn) => (turn === 1 ? { calls: [edit] } : empty))
    harness = await openHarness({ model })
    const file = join(harness.cwd, "a.txt")
    await writeFile(file, "one\n")
    const id = await harness.start({ prompt: "go", auto_approve: false })
    const asked = async (before?: string) => {
      const document = await harness.client.wait(id)
      if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
      expect(document.checkpoint_id).not.toBe(before)
      return document.checkpoint_id
    }
    const decideAll = (checkpointId: string, action: "accept" | "reject") =>
      harness.client.decide({
        ...{ sessionId: id, checkpointId, all: { action }, unlisted: "pending" },
        actor: { by: "test", via: "cli" },
      })
    const first = await asked()
    await writeFile(file, "zero\none\n")
    await decideAll(first, "accept")
    await decideAll(await untilPasses(() => asked(first)), "reject")
    await untilPasses(async () =>
      expect(await harness.client.info(id)).toMatchObject({ status: "failed", error: { code: "no_answer" } }),
    )
  })

  it("reports what it said in an earlier step", async () => {
    const { document } = await run([{ text: "All is well.", calls: [["LS", {}]] }])
    expect(document).toMatchObject({ outcome: "completed", final_message: "All is well." })
    expect(document).not.toHaveProperty("warnings")
  })

  it("pauses for input where a person is asked", async () => {
    const { document } = await run([], { pause_on_approval: true })
    expect(document).toMatchObject({ outcome: "paused", pause_reason: { type: "input_required" } })
  })
})

it("a sub-agent without a report does not look like a success to its parent", async () => {
  harness = await openHarness({
    model: createTreeModel(
      (turn) => {
        const task = turn === 1 ? "announced" : "awaited"
        if (turn === 1 || turn === 3) return { calls: [["sessions_spawn", { task }]] }
        return turn === 4 ? { calls: [["sessions_yield", {}]] } : { text: "ok" }
      },
      (task, turn) => (turn === 1 ? { calls: [["Write", { file_path: `${task}.txt`, content: "a" }]] } : empty),
    ),
  })
  const id = await harness.start({ prompt: "PARENT" })
  await harness.client.wait(id)
  expect(await readAnnouncements(harness, id)).toEqual([
    expect.stringContaining("status: completed, but gave no report"),
  ])
  expect((await readToolResults(harness, id)).at(-1)).toContain(": completed, but gave no report")
})
