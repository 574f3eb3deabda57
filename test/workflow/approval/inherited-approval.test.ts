import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../helpers/eventually.ts"
import { type Approvers, openApprovers, runner, type Token } from "./approvers-rig.ts"

// A follow-up, a fork or steering by a caller who may not approve calls continued with the approval that the
// session had.

let rig: Approvers
beforeAll(async () => {
  rig = await openApprovers()
})
afterAll(() => rig.harness.close())

describe("over HTTP, a caller who may not approve calls", () => {
  it("cannot start a run without approvals by a message to a finished session", async () => {
    const id = await rig.startFree()
    await rig.complete(id)
    expect((await rig.send("RUNNER", id, { type: "follow_up" })).status).toBe(202)
    await rig.expectAsked(id, "after the runner's follow-up")
    await rig.harness.client.cancel(id, { by: "test", via: "cli" })
    await rig.waitForStatus(id, "cancelled")
    // Nothing widens it again, and an approver decides call by call.
    const again = await rig.send("APPROVER", id, { auto_approve: true })
    expect([again.status, again.body.code]).toEqual([422, "limit_widened"])
  })

  it("gains no approval by a fork, with a message or without", async () => {
    const id = await rig.startFree()
    await rig.complete(id)
    const fork = await rig.post("RUNNER", `/${id}/fork`, { at_step: 1, message: "Another way." })
    expect(fork.status).toBe(201)
    await rig.expectAsked(fork.body.id, "in the runner's fork")
    const silent = await rig.post("RUNNER", `/${id}/fork`, { at_step: 1 })
    expect((await rig.send("APPROVER", silent.body.id, {})).status).toBe(202)
    await rig.expectAsked(silent.body.id, "in the runner's fork, by the approver")
    const own = await rig.post("APPROVER", `/${id}/fork`, { at_step: 1, message: "Another way." })
    await rig.expectUnasked(own.body.id, "in the approver's fork")
  })

  it("narrows a run that it steers to its approval policy", async () => {
    const id = await rig.startFree()
    expect((await rig.send("RUNNER", id, { type: "steering" })).status).toBe(202)
    // The current turn did not know of it, and its calls are skipped.
    rig.mutates(id, "before the steering was read")
    await rig.expectAsked(id, "after the runner's steering")
    expect(rig.executed).not.toContain("before the steering was read")
    const details = await rig.harness.handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")
    expect(details.currentDetails).toContain("a sender without approval rights sent a message")
    const { items: audit } = await rig.harness.client.audit({ sessionId: id })
    expect(audit.find(({ action }) => action === "steering")).toMatchObject({
      by: "runner",
      detail: { approves: "policy" },
    })
  })

  it("answers a question, and the run that asked continues under its policy", async () => {
    const id = await rig.startFree({ pause_on_approval: true })
    rig.model.reply(id, { text: "Which one?" })
    await rig.waitForStatus(id, "paused")
    expect((await rig.send("RUNNER", id, {})).status).toBe(202)
    await rig.expectAsked(id, "after the runner's answer")
  })

  it("answers a tool's question, and calls that were proposed before are not delayed", async () => {
    const id = await rig.startFree()
    rig.model.reply(id, {
      calls: [
        ["Ask", {}],
        ["Mutate", { name: "proposed before" }],
      ],
    })
    await rig.waitForStatus(id, "paused")
    expect((await rig.send("RUNNER", id, {})).status).toBe(202)
    await eventually(() => rig.executed.includes("proposed before"))
    await rig.expectAsked(id, "after the runner's answer (2)")
  })

  it("queues a message, and the run that it starts follows policy", async () => {
    const id = await rig.startFree()
    expect((await rig.send("RUNNER", id, { type: "follow_up" })).status).toBe(202)
    rig.mutates(id, "still in the owner's run")
    await eventually(() => rig.executed.includes("still in the owner's run"))
    await rig.untilAsked(id)
    const { runId } = await rig.rowOf(id)
    rig.model.reply(id, { text: "done" })
    await eventually(async () => (await rig.rowOf(id)).runId !== runId)
    await rig.expectAsked(id, "in the queued run")
  })

  it("cannot ask for more: no auto_approve, no decision, no link, no higher budget", async () => {
    const id = await rig.startFree({ pause_on_approval: true, budget_tokens: 30_000, allowed_tools: ["Mutate", "LS"] })
    for (const auto_approve of [true, ["Mutate"]]) {
      const asked = await rig.send("RUNNER", id, { type: "follow_up", auto_approve })
      expect([asked.status, asked.body.code]).toEqual([403, "forbidden"])
    }
    const created = await rig.post("RUNNER", "", { cwd: rig.harness.cwd })
    expect((await rig.send("RUNNER", created.body.id, { auto_approve: true })).status).toBe(403)
    rig.model.reply(id, { calls: [["LS", {}]] }, 200)
    await rig.waitForStatus(id, "paused")
    const raised = await rig.send("RUNNER", id, { budget_tokens: 900_000 })
    expect([raised.status, raised.body.code]).toEqual([403, "forbidden"])
    const pause = await rig.harness.store.pauses.current(id)
    const link = { checkpoint_id: pause?.checkpointId }
    expect((await rig.harness.post("/v1/approval-links", link, rig.as("RUNNER"))).status).toBe(403)
    expect((await rig.send("APPROVER", id, { budget_tokens: 900_000 })).status).toBe(202)
    const paused = pause?.checkpointId
    await eventually(async () => (await rig.harness.store.pauses.current(id))?.checkpointId !== paused)
    await rig.harness.client.cancel(id, { by: "test", via: "cli" })
    await rig.waitForStatus(id, "cancelled")
  })

  it("rejects a call with a text, and the run that reads it continues under policy", async () => {
    const reject = async (id: string, content?: string) => {
      rig.model.reply(id, { calls: [["Write", { file_path: "a.txt", content: "x" }]] })
      await rig.waitForStatus(id, "paused")
      const all = { action: "reject", ...(content === undefined ? {} : { content }) } as const
      await rig.harness.client.decide({ sessionId: id, all, unlisted: "reject", actor: runner })
    }
    const silent = await rig.startFree({ auto_approve: ["Mutate"] })
    await reject(silent)
    await rig.expectUnasked(silent, "after the runner's rejection")
    const id = await rig.startFree({ auto_approve: ["Mutate"] })
    await reject(id, "Mutate it instead.")
    await rig.expectAsked(id, "after the runner's reason")
  })

  it("leaves a text at the end of a budget, and later runs that read it follow policy", async () => {
    const id = await rig.startFree({ pause_on_approval: true, budget_tokens: 30_000, allowed_tools: ["Mutate", "LS"] })
    await eventually(async () => {
      if (rig.model.isWaiting(id)) rig.model.reply(id, { calls: [["LS", {}]] })
      return (await rig.rowOf(id)).status === "paused"
    })
    expect((await rig.send("RUNNER", id, { type: "steering" })).status).toBe(202)
    expect((await rig.post("RUNNER", `/${id}/cancel`, {})).status).toBe(200)
    await rig.waitForStatus(id, "cancelled")
    expect((await rig.send("APPROVER", id, { type: "follow_up" })).status).toBe(202)
    await rig.expectAsked(id, "after the approver's follow-up to that")
  })

  it("changes nothing for messages of an approver, and for runs that follow policy anyway", async () => {
    const id = await rig.startFree()
    expect((await rig.send("APPROVER", id, { type: "steering" })).status).toBe(202)
    rig.model.reply(id, { calls: [["LS", {}]] })
    await rig.expectUnasked(id, "after the approver's steering")
    await rig.complete(id)
    expect((await rig.send("APPROVER", id, { type: "follow_up" })).status).toBe(202)
    await rig.expectUnasked(id, "after the approver's follow-up")
  })
})

describe("over MCP, a client that may not approve calls", () => {
  const connect = async (token: Token): Promise<Client> => {
    const client = new Client({ name: "test", version: "1.0.0" })
    const requestInit = { headers: rig.as(token) }
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", rig.harness.url), { requestInit }))
    return client
  }

  it.each(["sessions_send", "subagents", "resume_subagent_task"])(
    "continues a finished session by %s without its approval",
    async (name) => {
      const id = await rig.startFree({}, "general", "RUNNER")
      await rig.complete(id)
      const args = {
        sessions_send: { sessionKey: id, message: "And now?" },
        subagents: { action: "send", target: id, message: "And now?" },
        resume_subagent_task: { task_id: id, input: "And now?" },
      }[name]
      const client = await connect("RUNNER")
      expect(await client.callTool({ name, arguments: args ?? {} })).not.toMatchObject({ isError: true })
      await client.close()
      await rig.expectAsked(id, `after ${name}`)
    },
  )

  it("narrows a run that it steers to its approval policy", async () => {
    const id = await rig.startFree({}, "general", "RUNNER")
    const client = await connect("RUNNER")
    const args = { action: "steer", target: id, message: "Mutate." }
    expect(await client.callTool({ name: "subagents", arguments: args })).not.toMatchObject({ isError: true })
    await client.close()
    rig.model.reply(id, { calls: [["LS", {}]] })
    await rig.expectAsked(id, "after the steering")
  })

  it("differs from a client with the scope approve", async () => {
    const id = await rig.startFree({}, "general", "APPROVER")
    await rig.complete(id)
    const client = await connect("APPROVER")
    await client.callTool({ name: "sessions_send", arguments: { sessionKey: id, message: "And now?" } })
    await client.close()
    await rig.expectUnasked(id, "by the approver's client")
  })
})
