import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { CallDecision } from "../../../contracts/approval/decision.ts"
import type { Actor } from "../../../sessions/actor.ts"
import { sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const finish = { calls: [["finish", { result: "done" }]] } as const
const person = (name: string): Actor => ({
  by: name,
  via: "cli",
  kind: "person",
  identity: { kind: "local", id: name },
})
const accept = { action: "accept" } as const

afterEach(() => harness.close())

/** A run that calls Write, which two people must approve, although its caller approved everything. */
const deployment = async (rule: { require?: number; tools?: string[] } = {}) => {
  harness = await openHarness({
    model: createFakeTurns({ calls: [["Write", { file_path: "a.txt", content: "proposed" }]] }, finish),
    config: {
      people: { ana: { local: "ana" }, ben: { local: "ben" }, cleo: { local: "cleo" } },
      approvals: [{ tools: ["Write"], approvers: ["ana", "ben"], require: 2, ...rule }],
    },
  })
  const id = await harness.start({ auto_approve: true, pause_on_approval: true })
  return { id, ...(await paused(id)) }
}

const paused = async (id: string) => {
  const document = await harness.client.wait(id)
  if (document?.outcome !== "paused") throw new Error(`not paused but ${document?.outcome}`)
  return { checkpointId: document.checkpoint_id, calls: document.pause_reason.pending_tool_calls ?? [] }
}

const nextPause = async (id: string, before: string) => {
  await eventually(async () => {
    const { status, checkpoint_id } = await harness.client.info(id)
    return status === "paused" && checkpoint_id !== before
  })
  return paused(id)
}

const decide = (sessionId: string, checkpointId: string, actor: Actor, decision: CallDecision = accept) =>
  harness.client.decide({ sessionId, checkpointId, decisions: { call_1_1: decision }, unlisted: "pending", actor })

const written = () => readFile(join(harness.cwd, "a.txt"), "utf8").catch(() => undefined)

describe("a call that two people must approve", () => {
  it("runs after the second of them, whatever the caller of the run approved", async () => {
    const { id, checkpointId, calls } = await deployment()
    expect(calls).toMatchObject([{ approval_by: { people: ["ana", "ben"], require: 2 } }])
    await expect(decide(id, checkpointId, person("cleo"))).rejects.toMatchObject({ code: "forbidden" })
    for (const name of ["ana", "ana"])
      expect(await decide(id, checkpointId, person(name))).toMatchObject({
        counted: [expect.stringContaining("so far by ana")],
      })
    expect([await written(), (await harness.client.info(id)).status]).toEqual([undefined, "paused"])
    await decide(id, checkpointId, person("ben"))
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await written()).toBe("proposed")
  })

  it("starts again with other arguments", async () => {
    const { id, checkpointId } = await deployment()
    await decide(id, checkpointId, person("ana"))
    const edit = { action: "edit", arguments: { file_path: "a.txt", content: "edited" } } as const
    await decide(id, checkpointId, person("ben"), edit)
    const again = await nextPause(id, checkpointId)
    expect(again.calls).toMatchObject([
      {
        arguments: { content: "edited" },
        // Nobody has approved the new arguments yet: who gave them is asked again, too.
        preview: {
          asked_again: "with the new arguments, Write needs approval by 2 of ana, ben (approvals in the configuration)",
        },
      },
    ])
    expect(await decide(id, again.checkpointId, person("ana"))).toHaveProperty("counted")
    await decide(id, again.checkpointId, person("ben"))
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await written()).toBe("edited")
  })

  it("runs with the other arguments of the one person who must approve it", async () => {
    const { id, checkpointId } = await deployment({ require: 1 })
    await decide(id, checkpointId, person("ben"), {
      action: "edit",
      arguments: { file_path: "a.txt", content: "edited" },
    })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await written()).toBe("edited")
  })
})

describe("what is sent by hand", () => {
  it("decides nothing about such a call: neither the signals of people nor a decision without a signature", async () => {
    const { id, checkpointId } = await deployment()
    const handle = harness.temporal.workflow.getHandle(sessionWorkflowId(id))
    await handle.signal("approve", "all")
    await handle.signal("approve", ["call_1_1"])
    await handle.signal("reject", "all")
    await handle.signal("decide", { decisions: { call_1_1: { action: "reject" } } })
    const update = handle.executeUpdate("decide", { args: [{ all: { action: "accept" } }] })
    await expect(update).rejects.toMatchObject({
      cause: { message: expect.stringContaining("call_1_1: only the people") },
    })
    expect((await harness.client.info(id)).checkpoint_id).toBe(checkpointId)
    // A signature that is none: the worker asks again, since nobody in the audit approved it.
    const decisions = { call_1_1: accept }
    await handle.signal("decide", { decision_id: "forged", decisions, by: "ana", via: "cli", signature: "forged" })
    const again = await nextPause(id, checkpointId)
    expect(again.calls).toMatchObject([{ preview: { asked_again: expect.stringContaining("needs approval") } }])
    expect(await written()).toBeUndefined()
    await decide(id, again.checkpointId, person("ana"))
    await decide(id, again.checkpointId, person("ben"))
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  })
})
