import { describe, expect, it, vi } from "vitest"
import { callHash } from "../../../../activities/approval/call-claim.ts"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { ConfigInput } from "../../../../contracts/config/config.ts"
import type { WorkerPolicy } from "../../../../domain/approval/worker-policy.ts"
import { openSettings } from "../../sessions/settings/settings-rig.ts"

const config: ConfigInput = {
  models: { main: { provider: "scripted", script: "demo.yaml" } },
  agents: { general: { delegation: "sessions" } },
  subagents: { allowAgents: ["*"], maxSpawnDepth: 2 },
  tools: { policy: { "*": "auto" } },
}
const asking = (name: string, mode: "prompt" | "never" = "prompt"): WorkerPolicy => ({
  sandbox: "off",
  policy: { [name]: mode },
})
const spawn = { tool: "sessions_spawn", args: { task: "look" }, input: { isUnasked: true }, seq: 100 } as const

const open = async () => {
  const rig = await openSettings(config, {})
  return { ...rig, parent: await rig.start() }
}

describe("a delegation call that is repeated on a worker whose own policy refuses it", () => {
  it("fails, and is repeated, if the store is away", async () => {
    const { agentCalls, parent, store } = await open()
    const own = (await store.sessions.get(parent))?.runId
    const get = store.runs.get.bind(store.runs)
    const away = new AdjutantError("storage_failed", "the disk is full")
    vi.spyOn(store.runs, "get").mockImplementation((id) => (id === own ? get(id) : Promise.reject(away)))
    await expect(agentCalls(parent, spawn)).rejects.toThrow("the disk is full")
    vi.restoreAllMocks()
    expect(await agentCalls(parent, spawn)).toMatchObject({ kind: "started" })
  })

  it.each(["prompt", "never"] as const)("starts the child that was written (%s)", async (mode) => {
    const { agentCalls, parent } = await open()
    const first = await agentCalls(parent, spawn)
    expect(first).toMatchObject({ kind: "started" })
    expect(await agentCalls(parent, { ...spawn, workerPolicy: asking("sessions_spawn", mode) })).toEqual(first)
  })

  it("is not taken for another one that has its place after a reset", async () => {
    const { agentCalls, parent } = await open()
    const first = await agentCalls(parent, spawn)
    const other = await agentCalls(parent, { ...spawn, args: { task: "look elsewhere" } })
    expect([first, other]).toMatchObject([{ kind: "started" }, { kind: "started" }])
    expect(other).not.toEqual(first)
    expect(await agentCalls(parent, spawn)).toEqual(first)
  })

  it("reports a message that was sent", async () => {
    const { agentCalls, parent, finish } = await open()
    const child = await agentCalls(parent, spawn)
    if (child.kind !== "started") throw new Error("not started")
    await finish(child.sessionId)
    const children = [{ id: child.sessionId, ordinal: 1, label: null, runId: "r", status: "ended" as const }]
    const send = {
      tool: "sessions_send",
      args: { sessionKey: child.sessionId, message: "and now?" },
      input: { isUnasked: true, children },
      seq: 200,
    }
    expect(await agentCalls(parent, send)).toMatchObject({ kind: "started" })
    expect(await agentCalls(parent, { ...send, workerPolicy: asking("sessions_send") })).toMatchObject({
      kind: "started",
    })
  })

  it("does not start a child again that has read the message of the first attempt and has ended since", async () => {
    const { answerAgent, parent, finish, store, temporal } = await open()
    let id = ""
    await answerAgent(parent, { ...spawn, whenStarted: async (childId) => void (id = childId) })
    const { runId } = (await store.sessions.get(id)) ?? { runId: null }
    const children = [{ id, ordinal: 1, label: null, runId: "r", status: "running" as const }]
    const args = { sessionKey: id, message: "and now?" }
    const send = { tool: "sessions_send", args, input: { isUnasked: true, children }, seq: 200 }
    const told = await answerAgent(parent, send)
    const message = { role: "user", source: "follow_up", text: "and now?" } as const
    await store.messages.put(id, { seq: 5, runId: runId ?? "", step: 1, fence: 1, message })
    await store.sessions.patch(id, { headSeq: 5 })
    await finish(id)
    expect(await answerAgent(parent, send)).toBe(told)
    expect(temporal.execution(id).signals).toHaveLength(1)
    expect(await store.runs.list(id)).toHaveLength(1)
    const { events } = await store.events.read(parent, { after: 0, limit: 100 })
    expect(
      events.filter((event) => event.type === "tool-finished" && JSON.stringify(event).includes("call_200")),
    ).toHaveLength(1)
  })

  /** Opens a session whose sub-agent has ended with changes, and returns its call that begins to merge them. */
  const openMerge = async () => {
    const { agentCalls, parent, store, cwd } = await open()
    const child = await agentCalls(parent, spawn)
    if (child.kind !== "started") throw new Error("not started")
    const { sessionId } = child
    const tree = "a".repeat(40)
    await store.worktrees.open({ sessionId, machine: "m", path: "/worktrees/c", source: cwd })
    const details = { files: [], diff: "+x\n", is_cut: false, left_out: [], problem: null }
    await store.worktrees.end(sessionId, { status: "changed", tree, details, patch: Buffer.from("+x\n") })
    const args = { sessionKey: sessionId, tree }
    const hash = callHash({ name: "sessions_merge", arguments: args })
    const key = `${parent}/${(await store.sessions.get(parent))?.runId}/201/${hash}`
    await store.worktrees.beginMerge(sessionId, { tree, key })
    const call = { tool: "sessions_merge", args, input: { isUnasked: true }, seq: 200 }
    return {
      merge: (mode: "prompt" | "never") =>
        agentCalls(parent, { ...call, workerPolicy: asking("sessions_merge", mode) }),
      end: () => store.worktrees.endMerge(sessionId, key, true),
    }
  }

  it.each(["prompt", "never"] as const)("reports changes that were merged (%s)", async (mode) => {
    const { merge, end } = await openMerge()
    await end()
    expect(await merge(mode)).toMatchObject({ text: expect.stringContaining("The changes are in your files") })
  })

  it("does not continue a merge that its worker never allows", async () => {
    const { merge } = await openMerge()
    expect(await merge("never")).toMatchObject({ text: expect.stringContaining("never allows it") })
  })

  it("keeps the result that is recorded", async () => {
    const { agentCalls, parent } = await open()
    const list = { tool: "agents_list", args: {}, input: { isUnasked: true }, seq: 100 }
    const first = await agentCalls(parent, list)
    expect(await agentCalls(parent, { ...list, workerPolicy: asking("agents_list") })).toEqual(first)
    const failing = { ...list, tool: "subagents", args: { action: "info", target: "nobody" }, seq: 200 }
    const failed = await agentCalls(parent, failing)
    expect(failed).toMatchObject({ text: expect.stringContaining("nobody") })
    expect(await agentCalls(parent, { ...failing, workerPolicy: asking("subagents") })).toEqual(failed)
  })

  it("is refused if no attempt has had an effect, also at its next attempt elsewhere", async () => {
    const { agentCalls, parent, store } = await open()
    const strict = { ...spawn, workerPolicy: asking("sessions_spawn") }
    const refused = { kind: "answered", text: expect.stringContaining("sessions_spawn was not started") }
    for (const seq of [100, 100, 200]) expect(await agentCalls(parent, { ...strict, seq })).toMatchObject(refused)
    expect(await store.sessions.listOpen()).toHaveLength(1)
  })
})
