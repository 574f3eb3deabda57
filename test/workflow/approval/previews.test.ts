import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { eventually, untilPasses } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "test", via: "cli" }
const careful = { auto_approve: false, pause_on_approval: true } as const
const finish = { calls: [["finish", { result: "done" }]] } as const

afterEach(() => harness.close())

const open = async (...calls: readonly (readonly [string, Record<string, unknown>])[]): Promise<string> => {
  harness = await openHarness({ model: createFakeTurns({ calls: calls.map(([name, args]) => [name, args]) }, finish) })
  await put("a.txt", "one\ntwo\nthree\n")
  return harness.start(careful)
}

const put = (name: string, text: string) => writeFile(join(harness.cwd, name), text)
const read = (name: string) => readFile(join(harness.cwd, name), "utf8")

const paused = async (id: string) => {
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
  return { ...document, calls: document.pause_reason.pending_tool_calls ?? [] }
}

const approveAll = (sessionId: string, checkpointId: string) =>
  harness.client.decide({ sessionId, checkpointId, all: { action: "accept" }, unlisted: "pending", actor })

const edit = (old_string: string, new_string: string) =>
  ["Edit", { file_path: "a.txt", old_string, new_string }] as const

/** Returns a history as text, with the content of its payloads. */
const historyText = (value: unknown): string => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  return typeof value === "object" && value !== null ? Object.values(value).map(historyText).join("\n") : String(value)
}

describe("the preview of a pending call", () => {
  it("says which protected paths a command names", async () => {
    const id = await open(["Bash", { command: "echo x >> .git/config" }])
    const { calls } = await paused(id)
    expect(calls[0]?.preview.flags).toContain("names the protected path .git/config")
    await harness.client.cancel(id, actor)
  })

  it("is its beginning in every list where it is long, and whole for who asks for it", async () => {
    const lines = Array.from({ length: 432 }, (_, index) => `${index + 1}: ${"and a line of usual length".repeat(3)}`)
    const id = await open(["Write", { file_path: "long.txt", content: `${lines.join("\n")}\n` }])
    const { calls } = await paused(id)
    const [call] = calls
    expect(call?.preview).toMatchObject({ summary: "Write long.txt (new file, +432 −0)", is_cut: true })
    expect(call?.preview.diff?.length).toBeLessThan(17_000)
    const whole = await harness.client.preview(id, call?.id ?? "")
    expect(whole.is_cut).toBeUndefined()
    expect(whole.diff?.trimEnd().split("\n").slice(3)).toEqual(lines.map((line) => `+${line}`))
    await expect(harness.client.preview(id, "call_other")).rejects.toMatchObject({ code: "call_not_found" })
    await harness.client.cancel(id, actor)
  })

  it("shows all files of a patch, which runs only while they are as they were shown", async () => {
    const patch = "*** Begin Patch\n*** Add File: b.txt\n+b\n*** Update File: a.txt\n-two\n+2\n*** End Patch"
    harness = await openHarness({
      model: createFakeTurns({ calls: [["apply_patch", { input: patch }]] }, finish),
      config: { models: { main: { provider: "scripted", script: "unused.yaml", model: "gpt-6.1-sol" } } },
    })
    await put("a.txt", "one\ntwo\nthree\n")
    const id = await harness.start(careful)
    const first = await paused(id)
    expect(first.calls[0]?.preview).toMatchObject({ summary: expect.stringContaining("(2 files)"), flags: [] })
    expect(first.calls[0]?.preview.diff).toMatch(/\+\+\+ b.txt\n[^]*-two\n\+2\n/)
    await put("a.txt", "zero\none\ntwo\nthree\n")
    await approveAll(id, first.checkpoint_id)
    const second = await untilPasses(async () => {
      const next = await paused(id)
      expect(next.checkpoint_id).not.toBe(first.checkpoint_id)
      return next
    })
    expect(second.calls[0]?.preview.asked_again).toContain("a.txt was changed by something else")
    await approveAll(id, second.checkpoint_id)
    await untilPasses(async () => expect(await harness.client.info(id)).toMatchObject({ status: "completed" }))
    expect([await read("a.txt"), await read("b.txt")]).toEqual(["zero\none\n2\nthree\n", "b\n"])
  })

  it("is a diff against the file, in every list and, as one line, in the engine", async () => {
    const id = await open(edit("two", "2"), ["Bash", { command: "rm -r build", timeout_ms: 9_000 }])
    const { calls } = await paused(id)
    expect(calls[0]?.preview).toMatchObject({
      summary: "Edit a.txt (+1 −1)",
      diff: "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
      file: { path: "a.txt", action: "edit", size: 14 },
      flags: [],
    })
    expect(calls[1]?.preview).toMatchObject({ summary: "Bash rm -r build", text: "rm -r build" })
    expect(calls[1]?.preview.confined).toBeTypeOf("boolean")
    expect(calls[1]?.preview.flags).toContain("timeout_ms: 9000")
    const previews = calls.map(({ preview }) => preview)
    const { client, handle } = harness
    const listed = [
      (await client.approvals()).items.find(({ session_id }) => session_id === id)?.pending,
      (await client.pending(id)).pending,
      (await client.info(id)).pause_reason?.pending_tool_calls,
    ]
    for (const pending of listed) expect(pending?.map(({ preview }) => preview)).toEqual(previews)
    const { events } = await harness.store.events.read(id, { after: 0, limit: 1_000 })
    expect(events.find(({ type }) => type === "run-paused")).toMatchObject({
      pause_reason: { pending_tool_calls: [{ preview: previews[0] }, { preview: previews[1] }] },
    })
    const answer = await handle(id).query<{ pending: { preview: string }[] }>("pending")
    expect(answer.pending[0]?.preview).toBe("Edit a.txt (+1 −1)")
    const history = historyText(await handle(id).fetchHistory())
    expect(history).toContain("Edit a.txt (+1 −1)")
    expect(history).not.toContain("@@ -1,3 +1,3 @@")
  })

  it("is made again, under a new checkpoint, for a file that something else changed after the approval", async () => {
    const id = await open(edit("two", "2"))
    const first = await paused(id)
    await put("a.txt", "one\ntwo\nthree\nfour\n")
    await approveAll(id, first.checkpoint_id)
    await eventually(async () => (await harness.client.info(id)).checkpoint_id !== first.checkpoint_id)
    const second = await paused(id)
    expect(second.checkpoint_id).not.toBe(first.checkpoint_id)
    expect(second.calls.map((call) => call.id)).toEqual(first.calls.map((call) => call.id))
    expect(second.calls[0]?.preview.asked_again).toBe("a.txt was changed by something else after you were asked")
    expect(second.calls[0]?.preview.file?.size).toBe(19)
    expect(await read("a.txt")).toBe("one\ntwo\nthree\nfour\n")
    const listed = (await harness.client.approvals()).items.filter(({ session_id }) => session_id === id)
    expect(listed.map(({ checkpoint_id }) => checkpoint_id)).toEqual([second.checkpoint_id])
    const { events } = await harness.store.events.read(id, { after: 0, limit: 1_000 })
    expect(events.filter(({ type }) => type === "decision-recorded")).toMatchObject([
      { checkpoint_id: first.checkpoint_id, by: "test" },
    ])
    await approveAll(id, first.checkpoint_id)
    expect(await harness.client.info(id)).toMatchObject({ status: "paused", checkpoint_id: second.checkpoint_id })
    await approveAll(id, second.checkpoint_id)
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await read("a.txt")).toBe("one\n2\nthree\nfour\n")
  })

  it("remains valid for changes that earlier calls of the same batch make", async () => {
    const id = await open(edit("one", "1"), ["Bash", { command: "echo four >> a.txt" }], edit("two", "2"), [
      "Write",
      { file_path: "b.txt", content: "b" },
    ])
    const first = await paused(id)
    expect(first.calls[2]?.preview.flags).toEqual(["the diff is against the result of call_1_1"])
    await approveAll(id, first.checkpoint_id)
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await read("a.txt")).toBe("1\n2\nthree\nfour\n")
  })

  it("is asked again for a later call alone when its file changes while the batch is decided", async () => {
    const id = await open(["Write", { file_path: "b.txt", content: "b" }], edit("two", "2"))
    const first = await paused(id)
    await put("a.txt", "two\n")
    await approveAll(id, first.checkpoint_id)
    await eventually(async () => (await harness.client.info(id)).checkpoint_id !== first.checkpoint_id)
    const second = await paused(id)
    expect(second.calls.map((call) => call.id)).toEqual(["call_1_2"])
    expect(await read("b.txt")).toBe("b")
    await harness.client.decide({
      sessionId: id,
      checkpointId: second.checkpoint_id,
      all: { action: "reject" },
      unlisted: "pending",
      actor,
    })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await read("a.txt")).toBe("two\n")
  })
})
