import { describe, expect, it } from "vitest"
import { actor } from "../../client/client-fixture.ts"
import { childOf, runningSession } from "../../client/running-session.ts"

const call = (id: string) => ({ id, name: "Write", arguments: {} })
const question = { type: "input_required", calls: [], message: "Which colour?" } as const

/** A root that waits for two sub-agents, both of which wait for a person. */
const pausedTree = async (...pauses: readonly Parameters<Awaited<ReturnType<typeof runningSession>>["pause"]>[1][]) => {
  const fixture = await runningSession()
  const { client, store, pause, sessionId, temporal } = fixture
  const owners = pauses.map((_, index) => `child${index + 1}`)
  for (const owner of owners) await childOf(fixture, owner)
  await store.sessions.patch(sessionId, { status: "paused" })
  const opened = await Promise.all(owners.map((owner, index) => pause(owner, pauses[index])))
  temporal.onUpdate = () => ({ run_id: "run_child1" })
  const document = await client.outcome(sessionId)
  if (document?.outcome !== "paused") throw new Error("not paused")
  const at = { sessionId, checkpointId: document.checkpoint_id, actor, unlisted: "reject" } as const
  return { ...fixture, document, opened, at }
}

const accept = { action: "accept" } as const
const reject = { action: "reject" } as const

const decisionsOf = async ({ client }: Awaited<ReturnType<typeof pausedTree>>) =>
  (await client.audit()).items
    .filter(({ action }) => action === "decide")
    .map(({ session_id: id, detail }) => [id, detail["decisions"]] as const)
    .toSorted(([left], [right]) => left.localeCompare(right))

describe("the checkpoint of a tree's document", () => {
  it("names the tree's root, like that of any pause", async () => {
    const { client, at, document, sessionId, opened } = await pausedTree({ calls: [call("a")] }, { calls: [call("a")] })
    expect(document.resume_hint).toBe(`adjutant run -c ${at.checkpointId} --approve-all`)
    const open = { id: at.checkpointId, is_open: true }
    expect(await client.inspectTarget(at.checkpointId)).toMatchObject({ session_id: sessionId, checkpoint: open })
    expect(await client.sessionOfCheckpoint(at.checkpointId)).toBe(sessionId)
    expect(await client.sessionOfCheckpoint(opened[0]?.checkpointId ?? "")).toBe("child1")
    await expect(client.inspectTarget(at.checkpointId.replace(/.$/, "!"))).rejects.toMatchObject({
      code: "checkpoint_not_found",
    })
  })

  it("decides all that it showed, with an audit row for each task, and once", async () => {
    const tree = await pausedTree({ calls: [call("a")] }, { calls: [call("a"), call("b")] })
    const { client, at, runId } = tree
    expect(await client.decide({ ...at, all: accept })).toEqual({ state: "applied", runId })
    expect(await decisionsOf(tree)).toEqual([
      ["child1", { a: "accept" }],
      ["child2", { a: "accept", b: "accept" }],
    ])
    expect(await client.decide({ ...at, all: accept })).toEqual({ state: "applied", runId })
    expect(await decisionsOf(tree)).toHaveLength(2)
  })

  it("takes single calls by the name of their task, and leaves what is not named pending", async () => {
    const tree = await pausedTree({ calls: [call("a")] }, { calls: [call("a"), call("b")] })
    const { client, at, store, sessionId } = tree
    await client.decide({ ...at, decisions: { "child2/a": accept, b: reject } })
    expect(await decisionsOf(tree)).toEqual([["child2", { a: "accept", b: "reject" }]])
    expect(await store.pauses.current("child1")).toMatchObject({ calls: [{ id: "a" }] })
    await store.sessions.patch("child2", { status: "completed" })
    const next = await client.outcome(sessionId)
    expect(next).toMatchObject({ pause_reason: { pending_tool_calls: [{ id: "a", task_id: "child1" }] } })
    expect(next).not.toMatchObject({ checkpoint_id: at.checkpointId })
    // The first one still decides the rest of what it showed; what has its decision keeps it.
    await client.decide({ ...at, all: reject })
    expect(await decisionsOf(tree)).toEqual([
      ["child1", { a: "reject" }],
      ["child2", { a: "accept", b: "reject" }],
    ])
  })

  it("refuses a name that means no call or several, and decides nothing", async () => {
    const tree = await pausedTree({ calls: [call("a")] }, { calls: [call("a")] })
    const { client, at } = tree
    const calls = "calls: child1/a, child2/a"
    const refused = { code: "call_not_found", message: expect.stringContaining(calls) }
    await expect(client.decide({ ...at, decisions: { a: accept } })).rejects.toMatchObject(refused)
    await expect(client.decide({ ...at, decisions: { "child1/a": accept, "child9/a": accept } })).rejects.toMatchObject(
      refused,
    )
    expect(await decisionsOf(tree)).toEqual([])
  })

  it("leaves a call pending that is asked about at another checkpoint by now, and names it", async () => {
    const tree = await pausedTree({ calls: [call("a")] }, { calls: [call("b")] })
    const { client, at, store, pause, opened } = tree
    await store.pauses.close("child1", opened[0]?.checkpointId ?? "")
    await pause("child1", { ordinal: 1, calls: [call("a"), call("c")] })
    expect(await client.decide({ ...at, all: accept })).toMatchObject({ undecided: ["child1/a"] })
    expect(await decisionsOf(tree)).toEqual([["child2", { b: "accept" }]])
    expect(await store.pauses.current("child1")).toMatchObject({ calls: [{ id: "a" }, { id: "c" }] })
    const alone = await pausedTree({ calls: [call("a")] })
    await alone.store.pauses.close("child1", alone.opened[0]?.checkpointId ?? "")
    await alone.pause("child1", { ordinal: 1, calls: [call("a")] })
    await expect(alone.client.decide({ ...alone.at, all: accept })).rejects.toMatchObject({ code: "checkpoint_stale" })
  })

  it("shows questions next to the calls, and takes the answer to the only one", async () => {
    const tree = await pausedTree({ calls: [call("a")] }, question)
    const { client, at, document, opened, sessionId, runId } = tree
    const asked = { task_id: "child2", checkpoint_id: opened[1]?.checkpointId, agent_message: "Which colour?" }
    expect(document.pause_reason).toMatchObject({
      type: "tool_approval_required",
      pending_tool_calls: [{ id: "a", task_id: "child1" }],
      questions: [asked],
    })
    expect(document.resume_hint).toBe(`adjutant run -c ${at.checkpointId} --approve child1/a`)
    const sent = await client.send({ sessionId, checkpointId: at.checkpointId, type: "message", text: "Blue.", actor })
    expect(sent).toMatchObject({ runId })
    expect((await client.audit({ sessionId: "child2" })).items).toMatchObject([{ action: "message" }])
  })

  it("refuses a text for several questions, with the first one's own checkpoint", async () => {
    const { client, at, document, opened, sessionId } = await pausedTree(question, question)
    const first = `adjutant run -c ${opened[0]?.checkpointId} "<your input>"`
    expect(document).toMatchObject({ pause_reason: { type: "input_required" }, resume_hint: first })
    await expect(
      client.send({ sessionId, checkpointId: at.checkpointId, type: "message", text: "Blue.", actor }),
    ).rejects.toMatchObject({ code: "invalid_argument", message: expect.stringContaining(first) })
  })
})

describe("a task that is not paused itself", () => {
  it("decides nothing, and its refusal names the owners and the checkpoint of its tree", async () => {
    const { client, at, sessionId } = await pausedTree({ calls: [call("a")] }, { calls: [call("b")] })
    await expect(client.decide({ sessionId, actor, unlisted: "reject", all: accept })).rejects.toMatchObject({
      code: "session_not_paused",
      message: expect.stringMatching(new RegExp(`child1, child2.*${at.checkpointId}`)),
    })
  })
})
