import { describe, expect, it } from "vitest"
import { clientFixture, type ClientFixture } from "../client/client-fixture.ts"
import { newSession } from "../store/store-fixture.ts"
import { connectAs, spawnAs } from "./connect-as.ts"

const victim = "stdio:default:/srv/project"
const attacker = "stdio:other:/srv/project"

/** A paused sub-agent of the victim with a child of its own, and a sub-agent of the attacker. */
const open = async (fixture: ClientFixture) => {
  const id = await spawnAs(fixture, victim, "helper")
  const { checkpointId } = await fixture.pause(id)
  const childId = "child1"
  await fixture.store.sessions.create(newSession(childId, { parentId: id, rootId: id, depth: 2, label: "deep" }))
  const row = await fixture.store.sessions.get(id)
  if (row?.runId == null) throw new Error("no run")
  return { id, checkpointId, childId, sessionKey: row.sessionKey, runId: row.runId }
}

/** Every way to name a session, for each tool that takes one. */
const attacks: readonly [tool: string, args: (target: string) => Record<string, unknown>][] = [
  ["get_task_details", (task_id) => ({ task_id })],
  ["cancel_task", (task_id) => ({ task_id })],
  ["wait_for_tasks", (task_ids) => ({ task_ids, timeout_seconds: 1 })],
  ["resume_subagent_task", (task_id) => ({ task_id, approve_all: true })],
  ["resume_subagent_task", (task_id) => ({ task_id, approve_all: true, checkpoint_id: "cp_AAAAAAAAAAAAAAAAAAAAAAAA" })],
  ["resume_task", (task_id) => ({ task_id, tool_decisions: [{ tool_call_id: "call_1", approved: true }] })],
  ["sessions_history", (sessionKey) => ({ sessionKey, includeTools: true })],
  ["sessions_send", (sessionKey) => ({ sessionKey, message: "do as I say" })],
  ["sessions_list", (parent) => ({ parent })],
  ["subagents", (target) => ({ action: "info", target })],
  ["subagents", (target) => ({ action: "log", target })],
  ["subagents", (target) => ({ action: "send", target, message: "m" })],
  ["subagents", (target) => ({ action: "steer", target, message: "m" })],
  ["subagents", (target) => ({ action: "kill", target })],
  ["subagents", (target) => ({ action: "wait", target, timeoutSeconds: 1 })],
]

const requests: readonly [method: string, params: (id: string) => Record<string, unknown>][] = [
  ["tasks/get", (taskId) => ({ taskId })],
  ["tasks/update", (taskId) => ({ taskId })],
  ["tasks/cancel", (taskId) => ({ taskId })],
  ["tasks/list", () => ({})],
  ["tasks/result", (taskId) => ({ taskId })],
  ["resources/read", (id) => ({ uri: `adjutant://sessions/${id}/transcript` })],
  ["resources/subscribe", (id) => ({ uri: `adjutant://sessions/${id}/transcript` })],
]

describe("a client over MCP", () => {
  it("gets the answer for a session that does not exist, for every session of another caller and every way to name it", async () => {
    const fixture = await clientFixture()
    const { id, childId, sessionKey, runId } = await open(fixture)
    const before = JSON.stringify(fixture.temporal.execution(id))
    const client = await connectAs(fixture, attacker)
    for (const target of [id, childId, sessionKey, runId, "helper", "deep", id.slice(0, -1), "#1"])
      for (const [tool, args] of attacks) {
        const unknown = target.replaceAll(/[a-z0-9]/g, "z")
        const answer = JSON.stringify(await client.call(tool, args(target)))
        const expected = JSON.stringify(await client.call(tool, args(unknown)))
        expect([tool, answer.replaceAll(target, "<target>")]).toEqual([tool, expected.replaceAll(unknown, "<target>")])
        expect(answer).toMatch(/TASK_NOT_FOUND/)
      }
    for (const [method, params] of requests) {
      const answer = await client.request(method, params(id))
      expect([method, answer.replaceAll(id, "<id>")]).toEqual([
        method,
        (await client.request(method, params("zzzzzz"))).replaceAll("zzzzzz", "<id>"),
      ])
      expect(answer).toMatch(/^error: /)
      expect(answer).not.toMatch(/capabilit/i)
    }
    expect(JSON.stringify(fixture.temporal.execution(id))).toBe(before)
  })

  it("finds no session of other callers in any list", async () => {
    const fixture = await clientFixture()
    const { id } = await open(fixture)
    const client = await connectAs(fixture, attacker)
    expect((await client.call("get_all_tasks", {})).data).toEqual({ tasks: [] })
    expect((await client.call("sessions_list", {})).data).toMatchObject({ sessions: [] })
    expect((await client.call("subagents", { action: "list" })).data).toMatchObject({ sessions: [] })
    expect((await client.call("sessions_yield", {})).data).toMatchObject({ tasks: [] })
    expect((await client.call("subagents", { action: "kill", target: "all" })).data).toEqual({ killed: [] })
    expect(JSON.parse(await client.request("resources/list", {}))).toMatchObject({
      resources: [{ uri: "adjutant://approvals" }],
    })
    expect(await client.request("resources/read", { uri: "adjutant://approvals" })).not.toContain(id)
    const completion = {
      ref: { type: "ref/resource", uri: "adjutant://sessions/{id}/transcript" },
      argument: { name: "id", value: "" },
    }
    expect(JSON.parse(await client.request("completion/complete", completion))).toMatchObject({
      completion: { values: [] },
    })
  })

  it("finds its own sub-agents again after a restart, those below them included", async () => {
    const fixture = await clientFixture()
    const other = await spawnAs(fixture, attacker, "helper")
    const { id, childId, sessionKey } = await open(fixture)
    const later = await spawnAs(fixture, attacker, "helper")
    const client = await connectAs(fixture, victim)
    expect((await client.call("get_all_tasks", {})).data).toMatchObject({
      tasks: [{ task_id: childId }, { task_id: id }],
    })
    expect((await client.call("subagents", { action: "list" })).data).toMatchObject({ sessions: [{ id }] })
    for (const target of [id, sessionKey, "helper", "#1"])
      expect((await client.call("subagents", { action: "info", target })).data).toMatchObject({ task_id: id })
    expect((await client.call("get_task_details", { task_id: childId })).data).toMatchObject({ task_id: childId })
    expect((await client.call("subagents", { action: "info", target: "deep" })).data).toMatchObject({
      error: { code: "TASK_NOT_FOUND" },
    })
    expect(await client.request("resources/read", { uri: `adjutant://sessions/${childId}/transcript` })).toContain(
      "contents",
    )
    const approvals = await client.request("resources/read", { uri: "adjutant://approvals" })
    expect(approvals).toContain(id)
    expect(approvals).not.toMatch(new RegExp(`${other}|${later}`))
    expect((await client.call("resume_subagent_task", { task_id: id, approve_all: true })).data).toMatchObject({
      task_id: id,
    })
  })

  it("counts its sub-agents of earlier connections against the limit of children", async () => {
    const fixture = await clientFixture()
    for (const label of ["a", "b", "c", "d", "e"]) await spawnAs(fixture, victim, label)
    const task = { task: "one more" }
    const mine = await (await connectAs(fixture, victim)).call("sessions_spawn", task)
    expect(mine.text).toContain("max active children for this session (5/5)")
    expect((await (await connectAs(fixture, attacker)).call("sessions_spawn", task)).data).toMatchObject({
      status: "accepted",
    })
  })

  it("reaches every session if it was started that way, and counts only its own with #n and all", async () => {
    const fixture = await clientFixture()
    const { id } = await open(fixture)
    const own = await spawnAs(fixture, attacker, "mine")
    const client = await connectAs(fixture, attacker, { allSessions: true })
    expect((await client.call("get_task_details", { task_id: id })).data).toMatchObject({ task_id: id })
    expect(JSON.stringify((await client.call("get_all_tasks", {})).data)).toContain(id)
    expect(await client.request("resources/read", { uri: "adjutant://approvals" })).toContain(id)
    expect((await client.call("subagents", { action: "info", target: "#1" })).data).toMatchObject({ task_id: own })
    expect((await client.call("subagents", { action: "list" })).data).toMatchObject({ sessions: [{ id: own }] })
  })
})

describe("a checkpoint id", () => {
  it("lets a caller that was given it read and decide", async () => {
    const fixture = await clientFixture()
    const { id, checkpointId } = await open(fixture)
    const client = await connectAs(fixture, attacker)
    const task = { task_id: id, checkpoint_id: checkpointId }
    expect((await client.call("get_task_details", task)).data).toMatchObject({ task_id: id, status: "paused" })
    expect((await client.call("subagents", { action: "info", target: checkpointId })).data).toMatchObject({
      task_id: id,
    })
    expect((await client.call("resume_subagent_task", { ...task, approve: ["call_1"] })).data).toMatchObject({
      task_id: id,
    })
    expect(fixture.temporal.execution(id).updates).toMatchObject([{ payload: { checkpoint_id: checkpointId } }])
  })

  it("does not reach another task, and decides nothing after its pause", async () => {
    const fixture = await clientFixture()
    const { id, checkpointId } = await open(fixture)
    const another = await spawnAs(fixture, victim, "another")
    await fixture.pause(another)
    const client = await connectAs(fixture, attacker)
    const mixed = { task_id: another, checkpoint_id: checkpointId, approve_all: true }
    expect((await client.call("resume_subagent_task", mixed)).text).toMatch(/TASK_NOT_FOUND/)
    await fixture.store.pauses.close(id, checkpointId)
    await fixture.pause(id, { ordinal: 1, checkpointId: "cp_next" })
    const late = { task_id: id, checkpoint_id: checkpointId, approve_all: true }
    expect((await client.call("resume_subagent_task", late)).text).toMatch(/RESUME_TASK_ERROR.*no longer open/)
    expect(fixture.temporal.execution(id).updates).toEqual([])
    expect(fixture.temporal.execution(another).updates).toEqual([])
  })
})
