import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { CallDecision } from "../../../contracts/approval/decision.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const actor = { by: "ana", via: "cli" }
const careful = { auto_approve: false, pause_on_approval: true } as const
const finish = { calls: [["finish", { result: "done" }]] } as const

afterEach(() => harness.close())

const open = async (...calls: readonly (readonly [string, Record<string, unknown>])[]): Promise<string> => {
  harness = await openHarness({ model: createFakeTurns({ calls: calls.map(([name, args]) => [name, args]) }, finish) })
  return harness.start(careful)
}

const read = (name: string) => readFile(join(harness.cwd, name), "utf8").catch(() => undefined)

const paused = async (id: string) => {
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
  return { ...document, calls: document.pause_reason.pending_tool_calls ?? [] }
}

const decide = (sessionId: string, checkpointId: string, decisions: Record<string, CallDecision>) =>
  harness.client.decide({ sessionId, checkpointId, decisions, unlisted: "pending", actor })

const edit = (args: Record<string, unknown>): CallDecision => ({ action: "edit", arguments: args })
const nextPause = async (id: string, before: string) => {
  await eventually(async () => {
    const { status, checkpoint_id } = await harness.client.info(id)
    return status === "paused" && checkpoint_id !== before
  })
  return paused(id)
}

const result = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message] : []))[0]

const audited = async (id: string) =>
  (await harness.client.audit({ sessionId: id })).items.filter(({ action }) => action === "edit")

const proposed = ["Write", { file_path: "a.txt", content: "proposed" }] as const

describe("a decision with other arguments", () => {
  it("runs the call with them, says so in its result, and records both versions", async () => {
    const id = await open(proposed)
    const { checkpoint_id } = await paused(id)
    await decide(id, checkpoint_id, { call_1_1: edit({ file_path: "b.txt", content: "edited" }) })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect([await read("a.txt"), await read("b.txt")]).toEqual([undefined, "edited"])
    expect((await result(id))?.content).toMatch(
      /^A person approved this call with other arguments, and it was executed with these: .*"b\.txt".*\n\nCreated b\.txt/,
    )
    expect(await audited(id)).toMatchObject([
      {
        detail: {
          ...{ call_id: "call_1_1", tool: "Write", verdict: "run", checkpoint_id },
          proposed: '{"file_path":"a.txt","content":"proposed"}',
          arguments: '{"file_path":"b.txt","content":"edited"}',
        },
      },
    ])
    const decision = (await harness.client.audit({ sessionId: id })).items.find(({ action }) => action === "decide")
    expect(decision).toMatchObject({ by: "ana", detail: { decisions: { call_1_1: "edit" } } })
    const { events } = await harness.store.events.read(id, { after: 0, limit: 1_000 })
    expect(events.find(({ type }) => type === "decision-recorded")).toMatchObject({ decisions: { call_1_1: "edit" } })
    expect(events.find(({ type, name }) => type === "tool-started" && name === "Write")).toMatchObject({ edited: true })
  })

  it("is refused at once if the tool's schema does not accept the arguments", async () => {
    const id = await open(proposed)
    const { checkpoint_id } = await paused(id)
    await expect(decide(id, checkpoint_id, { call_1_1: edit({ file_path: "b.txt" }) })).rejects.toMatchObject({
      code: "invalid_argument",
      message: "the arguments for call call_1_1 do not fit Write: content: is missing",
    })
    expect(await harness.client.info(id)).toMatchObject({ status: "paused", checkpoint_id })
  })

  it("is asked about again if the arguments change a protected path, and then runs with them", async () => {
    const id = await open(proposed)
    const first = await paused(id)
    await decide(id, first.checkpoint_id, { call_1_1: edit({ file_path: ".envrc", content: "x=1\n" }) })
    const second = await nextPause(id, first.checkpoint_id)
    expect(second.calls[0]).toMatchObject({
      arguments: { file_path: ".envrc" },
      preview: {
        asked_again: expect.stringContaining("the call changes the protected path .envrc"),
        protected_path: ".envrc",
      },
    })
    expect(await read(".envrc")).toBeUndefined()
    const all = { sessionId: id, checkpointId: second.checkpoint_id, unlisted: "pending", actor } as const
    await expect(harness.client.decide({ ...all, all: { action: "accept" } })).rejects.toMatchObject({
      code: "invalid_argument",
    })
    await decide(id, second.checkpoint_id, { call_1_1: { action: "accept" } })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await read(".envrc")).toBe("x=1\n")
  })

  it("by an operator's update is checked by the worker, which keeps the call's own arguments if they do not fit", async () => {
    const id = await open(proposed)
    const first = await paused(id)
    const decisions = (args: Record<string, unknown>) => ({
      decisions: { call_1_1: { action: "edit", arguments: args } },
    })
    await harness.handle(id).executeUpdate("decide", { args: [decisions({ file_path: "b.txt" })] })
    const second = await nextPause(id, first.checkpoint_id)
    expect(second.calls[0]?.arguments).toEqual({ file_path: "a.txt", content: "proposed" })
    expect(second.calls[0]?.preview.asked_again).toMatch(/^the new arguments are refused: .*content/)
    await harness.handle(id).signal("decide", decisions({ file_path: "c.txt", content: "by hand" }))
    await eventually(async () => (await harness.client.info(id)).status === "completed")
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await read("c.txt")).toBe("by hand")
  })

  it("contradicts another edit of the same call, and repeats the same one", async () => {
    const id = await open(proposed, ["Write", { file_path: "z.txt", content: "z" }])
    const { checkpoint_id } = await paused(id)
    const one = { call_1_1: edit({ file_path: "b.txt", content: "one" }) }
    await decide(id, checkpoint_id, one)
    await eventually(async () => (await harness.client.approvals()).items[0]?.pending.length === 1)
    expect(await decide(id, checkpoint_id, one)).toMatchObject({ state: "applied" })
    await expect(
      decide(id, checkpoint_id, { call_1_1: edit({ file_path: "b.txt", content: "two" }) }),
    ).rejects.toMatchObject({ code: "already_decided" })
    await decide(id, checkpoint_id, { call_1_2: { action: "reject" } })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await read("b.txt")).toBe("one")
  })

  it("does not overwrite a file that something else changed since the preview", async () => {
    const id = await open(proposed)
    const first = await paused(id)
    await writeFile(join(harness.cwd, "a.txt"), "of someone else")
    await decide(id, first.checkpoint_id, { call_1_1: edit({ file_path: "a.txt", content: "edited" }) })
    const second = await nextPause(id, first.checkpoint_id)
    expect(second.calls[0]).toMatchObject({
      arguments: { content: "edited" },
      preview: { asked_again: "a.txt was created by something else after you were asked" },
    })
    expect(await read("a.txt")).toBe("of someone else")
  })
})
