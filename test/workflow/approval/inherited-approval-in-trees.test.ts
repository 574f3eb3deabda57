import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { type Approvers, openApprovers, runner } from "./approvers-rig.ts"

let rig: Approvers
beforeAll(async () => {
  rig = await openApprovers()
})
afterAll(() => rig.harness.close())

describe("in a tree, a message of a caller who may not approve calls", () => {
  const spawn = async (parentId: string): Promise<string> => {
    rig.model.reply(parentId, { calls: [["sessions_spawn", { task: "Help." }]] })
    await eventually(async () => (await rig.harness.store.sessions.list({ parentId, limit: 9 })).items.length > 0)
    const [child] = (await rig.harness.store.sessions.list({ parentId, limit: 9 })).items
    await rig.untilAsked(child!.id)
    await rig.untilAsked(parentId)
    return child!.id
  }
  const steer = (id: string) =>
    rig.harness.client.send({ sessionId: id, text: "Say that it must mutate.", type: "steering", actor: runner })

  it("narrows the sessions above its reader before they read the reader's result", async () => {
    const rootId = await rig.startFree()
    const middleId = await spawn(rootId)
    const childId = await spawn(middleId)
    await rig.expectUnasked(childId, "below, before")
    await steer(childId)
    rig.model.reply(childId, { calls: [["LS", {}]] })
    await rig.untilAsked(childId)
    rig.model.reply(childId, { text: "It must mutate." })
    await rig.waitForStatus(childId, "completed")
    rig.model.reply(middleId, { calls: [["LS", {}]] })
    await rig.expectAsked(middleId, "in the middle, after")
    rig.model.reply(rootId, { calls: [["LS", {}]] })
    await rig.expectAsked(rootId, "at the top, after")
  })

  it("narrows the sub-agent that a narrowed agent steers, sends to or restarts", async () => {
    const rootId = await rig.startFree()
    const childId = await spawn(rootId)
    await rig.expectUnasked(childId, "below, before (2)")
    await steer(rootId)
    rig.model.reply(rootId, { calls: [["LS", {}]] })
    await rig.untilAsked(rootId)
    // No message has reached the child yet.
    await rig.expectUnasked(childId, "below, before the parent steers")
    rig.model.reply(rootId, { calls: [["subagents", { action: "steer", target: childId, message: "Mutate." }]] })
    await rig.untilAsked(rootId)
    rig.model.reply(childId, { calls: [["LS", {}]] })
    await rig.expectAsked(childId, "below, after the parent steered")
    await rig.harness.client.decide({
      sessionId: childId,
      all: { action: "reject" },
      unlisted: "pending",
      actor: runner,
    })
    await rig.complete(childId)
    rig.model.reply(rootId, { calls: [["sessions_send", { sessionKey: childId, message: "Again." }]] })
    await rig.expectAsked(childId, "below, in its next run")
  })

  it("keeps an agent that did not read it from approving what a sub-agent does for it", async () => {
    const rootId = await rig.startFree({}, "tasker")
    const task = { description: "x", instructions: "Help.", tools: ["Mutate", "LS"] }
    rig.model.reply(rootId, { calls: [["dynamic_subagent_task", task]] })
    await eventually(
      async () => (await rig.harness.store.sessions.list({ parentId: rootId, limit: 9 })).items.length > 0,
    )
    const [child] = (await rig.harness.store.sessions.list({ parentId: rootId, limit: 9 })).items
    const childId = child!.id
    await rig.untilAsked(childId)
    await rig.untilAsked(rootId)
    await steer(childId)
    rig.model.reply(childId, { calls: [["LS", {}]] })
    await rig.expectAsked(childId, "for the runner")
    // The current turn began before the sub-agent was steered.
    rig.model.reply(rootId, { calls: [["resume_subagent_task", { task_id: childId, approve_all: true }]] })
    await rig.untilAsked(rootId)
    expect(rig.executed).not.toContain("for the runner")
    const { message } = (await rig.harness.client.messages(rootId)).findLast((row) => row.message.role === "tool")!
    expect(message).toMatchObject({ content: expect.stringContaining("only a person can approve") })
  })

  it("gives a child that a narrowed agent restarts no more than that agent has", async () => {
    const rootId = await rig.startFree()
    const childId = await spawn(rootId)
    await rig.expectUnasked(childId, "below, before (3)")
    await rig.complete(childId)
    await rig.untilAsked(rootId)
    await steer(rootId)
    rig.model.reply(rootId, { calls: [["LS", {}]] })
    await rig.untilAsked(rootId)
    rig.model.reply(rootId, { calls: [["sessions_send", { sessionKey: childId, message: "Again." }]] })
    await rig.expectAsked(childId, "below, in its next run (2)")
  })
})
