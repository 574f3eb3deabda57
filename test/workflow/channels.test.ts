import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import type { ModelRequest } from "../../models/model-provider.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeModel, type FakeReply, createFakeTurns } from "../helpers/models/fake-model.ts"
import { type Receiver, receiverSecret, startReceiver } from "../helpers/http/webhook-receiver.ts"
import { type Harness, type HarnessOptions, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
let receiver: Receiver
const actor = { by: "test", via: "cli" }
const secondMs = 1_000
const hours = (ms: number): number => ms / 3_600_000

type Bindings = NonNullable<NonNullable<ConfigInput["channels"]>[string]["threadBindings"]>

const open = async (
  options: Pick<HarnessOptions, "model"> & Partial<HarnessOptions> & { readonly bindings?: Bindings },
): Promise<Harness> => {
  receiver = await startReceiver()
  const { bindings = {}, ...rest } = options
  harness = await openHarness({
    env: { TEAM: receiverSecret },
    ...rest,
    config: {
      channels: { team: { type: "webhook", outboundUrl: receiver.url, secretEnv: "TEAM", threadBindings: bindings } },
      ...options.config,
      timing: { deliveryInitialMs: 10, deliveryMaxMs: 40, ...options.config?.timing },
    },
  })
  return harness
}

const commandChannel = () =>
  ({ type: "webhook", outboundUrl: receiver.url, secretEnv: "TEAM", commands: true }) as const

const say = (threadKey: string, text: string, id = `${threadKey} ${text}`) =>
  harness.client.channels.receive("team", { thread_key: threadKey, text, message_id: id })

const said = (threadKey?: string): readonly string[] =>
  receiver.effects
    .filter(({ body }) => threadKey === undefined || body.thread_key === threadKey)
    .map(({ body }) => body.text)

const lastUser = (request: ModelRequest): string => {
  const texts = request.messages.flatMap((message) => (message.role === "user" ? [message.text] : []))
  return texts.at(-1) ?? ""
}

const firstUser = (request: ModelRequest): string => {
  const [first] = request.messages
  return first?.role === "user" ? first.text : ""
}

const echo = createFakeModel((request) => ({ text: `You said: ${lastUser(request)}` }))

const bindingOf = async (sessionId: string) =>
  (await harness.client.channels.bindings()).items.find((binding) => binding.session_id === sessionId)

const stateOf = async (sessionId: string): Promise<string> => (await harness.handle(sessionId).describe()).status.name

/**
 * A bound parent that delegates `CHILD` to a sub-agent with its own thread, and repeats what it receives from
 * it.
 */
const withChild = (
  child: (request: ModelRequest, turn: number) => FakeReply | Promise<FakeReply>,
  extra: Record<string, unknown> = {},
) =>
  createFakeModel((request, turn) => {
    if (firstUser(request) === "CHILD") return child(request, turn)
    if (turn === 1) return { calls: [["sessions_spawn", { task: "CHILD", thread: true, label: "helper", ...extra }]] }
    return { text: `Parent received: ${/child says [a-z]+/.exec(lastUser(request))?.[0] ?? "nothing yet"}` }
  })

const childOf = async (parentId: string): Promise<string> => {
  let id: string | undefined
  await eventually(async () => {
    id = (await harness.client.list({ parent: parentId })).items[0]?.id
    return id !== undefined
  })
  return id ?? ""
}

const startParent = async (): Promise<string> => {
  const reception = await say("t1", "PARENT")
  if (reception.kind !== "accepted") throw new Error("the message was not accepted")
  return reception.sessionId
}

afterEach(() => harness.close())

describe("a thread of a channel", () => {
  it("starts one session, continues it, and receives its answers", async () => {
    await open({ model: echo })
    const first = await say("t1", "one")
    await eventually(() => said().length === 1)
    const second = await say("t1", "two")
    await eventually(() => said().length === 2)
    expect(second).toMatchObject({ kind: "accepted", sessionId: first.kind === "accepted" ? first.sessionId : "" })
    expect(said("t1")).toEqual(["You said: one", "You said: two"])
    const [effect] = receiver.effects
    expect(Object.keys(effect?.body).toSorted()).toEqual(["message_id", "session_id", "text", "thread_key"])
    expect(effect?.body.message_id).toBe(effect?.id)
    expect(receiver.countForged()).toBe(0)
  })

  it("delivers a message once however often the channel sends it, and drops its own messages", async () => {
    const { client } = await open({ model: echo })
    const first = await say("t1", "one", "m1")
    expect(await say("t1", "one", "m1")).toEqual(first)
    await eventually(() => said().length === 1)
    expect(await say("t1", "one", "m1")).toEqual(first)
    await expect(say("t1", "other", "m1")).rejects.toMatchObject({ code: "idempotency_conflict" })
    expect(await say("t1", said()[0] ?? "", receiver.effects[0]?.id)).toEqual({ kind: "ignored" })
    const { items } = await client.list({})
    expect(items).toHaveLength(1)
    const transcript = await client.messages(items[0]?.id ?? "")
    expect(transcript.filter(({ message }) => message.role === "user")).toHaveLength(1)
  })

  it("gets one session from two simultaneous first messages", async () => {
    const { client } = await open({ model: echo })
    await Promise.all([say("t1", "one"), say("t1", "two")])
    await eventually(() => said().length === 2)
    expect((await client.list({})).items).toHaveLength(1)
  })

  it("is unknown without a binding if it may not start a session, until a user binds it", async () => {
    const { client, start } = await open({ model: echo, bindings: { spawnSubagentSessions: false } })
    await expect(say("t1", "one")).rejects.toMatchObject({ code: "thread_not_found" })
    const id = await start({ prompt: "Before." })
    await client.wait(id)
    expect(said()).toEqual([])
    await client.channels.focus({ sessionId: id, threadKey: "t1", actor })
    expect(await say("t1", "one")).toMatchObject({ sessionId: id })
    await eventually(() => said("t1").length === 1)
    const other = await start({ prompt: "Other." })
    await client.channels.focus({ sessionId: other, threadKey: "t1", channel: "team", actor })
    expect(await bindingOf(id)).toBeUndefined()
    await client.channels.unfocus(other, actor)
    await expect(say("t1", "two")).rejects.toMatchObject({ code: "thread_not_found" })
    await expect(client.channels.unfocus(other, actor)).rejects.toMatchObject({ code: "thread_not_found" })
    expect((await client.audit({ sessionId: id })).items.map(({ action }) => action)).toContain("focus")
    await client.wait(other)
  })

  it("receives an agent's question, and answers it", async () => {
    const { client, start } = await open({
      model: createFakeTurns({ text: "Which colour?" }, { calls: [["finish", { result: "It is blue." }]] }),
    })
    const id = await start({ pause_on_approval: true })
    await eventually(async () => (await client.info(id)).status === "paused")
    await client.channels.focus({ sessionId: id, threadKey: "t1", actor })
    await say("t1", "blue")
    // The question itself is posted if the thread was bound in time.
    await eventually(() => said("t1").at(-1) === "It is blue.")
  })

  it("receives its question in the thread, and pending calls without a link", async () => {
    const { client } = await open({
      model: createFakeTurns(
        { text: "I would write.", calls: [["Write", { file_path: "a", content: "b" }]] },
        { text: "Done." },
      ),
    })
    const id = await startParent()
    await eventually(() => said("t1").length === 1)
    expect(said("t1")).toEqual(["I would write.\n\nWaiting for approval of: Write."])
    await client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    await eventually(() => said("t1").length === 2)
  })

  it("is free again after a long silence, and when its time is up", async () => {
    const { client } = await open({ model: echo, bindings: { idleHours: hours(60 * secondMs) } })
    const id = await startParent()
    await eventually(() => said().length === 1)
    await client.channels.setExpiry({ sessionId: id, idleMs: 0 }, actor)
    expect(await bindingOf(id)).toMatchObject({ expires_at: null })
    await client.channels.setExpiry({ sessionId: id, maxAgeMs: 1 }, actor)
    await eventually(async () => (await bindingOf(id)) === undefined)
    const next = await say("t1", "again")
    expect(next.kind === "accepted" && next.sessionId !== id).toBe(true)
    const notes = () => said().filter((text) => text.includes("no longer bound"))
    await eventually(() => said().length === 3)
    expect(notes()).toEqual([expect.stringContaining(`task ${id}: it was bound `)])
  })

  it("without a task answers a command with that, and gets none", async () => {
    const { client } = await open({ model: echo, config: { channels: { team: commandChannel() } } })
    await expect(say("t9", "/list")).rejects.toMatchObject({
      code: "thread_not_found",
      message: expect.stringContaining("no task is bound to this thread"),
    })
    expect((await client.list({})).items).toEqual([])
    expect((await client.channels.bindings()).items).toEqual([])
  })

  it("keeps its session while a run works or waits for a person, however long that takes", async () => {
    let goesOn = false
    const { client } = await open({
      model: createFakeModel(async (_, turn) => {
        if (turn === 1) return { calls: [["Write", { file_path: "a.txt", content: "a" }]] }
        await eventually(() => goesOn)
        return { text: "written" }
      }),
    })
    const id = await startParent()
    await eventually(async () => (await client.info(id)).status === "paused")
    await client.channels.setExpiry({ sessionId: id, idleMs: 1, maxAgeMs: 1 }, actor)
    const binding = await bindingOf(id)
    await eventually(() => Date.now() > Date.parse(binding?.expires_at ?? "") + 5)
    expect(await bindingOf(id)).toMatchObject({ session_id: id })
    const more = await say("t1", "are you there?")
    expect(more).toMatchObject({ kind: "accepted", sessionId: id })
    await eventually(() => said().some((text) => /Write.*Writing here does not decide.*queued/s.test(text)))
    await client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    goesOn = true
    await eventually(() => said().includes("written"))
  })
})

describe("a sub-agent with its own thread", () => {
  it("answers there, reports to its parent, and stays open until a long silence", async () => {
    const { client } = await open({
      model: withChild((request) => ({ text: lastUser(request) === "CHILD" ? "child says hello" : "child says more" })),
    })
    const parent = await startParent()
    const child = await childOf(parent)
    const thread = `t1/${child}`
    await eventually(() => said("t1").includes("Parent received: child says hello"))
    expect(said(thread)).toEqual(["child says hello"])
    await eventually(async () => (await stateOf(parent)) === "COMPLETED")
    expect(await client.info(child)).toMatchObject({ status: "completed" })
    expect(await stateOf(child)).toBe("RUNNING")
    const { runId } = await harness.handle(child).describe()

    await say(thread, "and then?")
    await eventually(() => said(thread).length === 2)
    expect(said(thread)).toEqual(["child says hello", "child says more"])
    expect((await harness.handle(child).describe()).runId).toBe(runId)

    await client.channels.setExpiry({ sessionId: child, idleMs: 300 }, actor)
    await eventually(async () => (await stateOf(child)) === "COMPLETED")
    expect(await bindingOf(child)).toBeUndefined()
    expect((await client.audit({ sessionId: child })).items.find(({ via }) => via === "expiry")?.detail).toMatchObject({
      reason: "idle",
    })
  })

  it("reports each run to a parent that is still running", async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const heard: string[] = []
    await open({
      model: createFakeModel(async (request, turn) => {
        if (firstUser(request) === "CHILD")
          return { text: lastUser(request) === "CHILD" ? "child says one" : "child says two" }
        for (const message of request.messages)
          if (message.role === "user" && message.source === "announce") {
            const text = /child says [a-z]+/.exec(message.text)?.[0] ?? ""
            if (!heard.includes(text)) heard.push(text)
          }
        if (turn === 1) return { calls: [["sessions_spawn", { task: "CHILD", thread: true }]] }
        if (turn === 2) {
          await held
          return { calls: [["LS", {}]] }
        }
        return { text: "Parent is done." }
      }),
    })
    const parent = await startParent()
    const child = await childOf(parent)
    await eventually(() => said(`t1/${child}`).length === 1)
    await say(`t1/${child}`, "continue")
    await eventually(() => said(`t1/${child}`).length === 2)
    release()
    await eventually(() => said("t1").includes("Parent is done."))
    expect(heard).toEqual(["child says one", "child says two"])
    await harness.client.channels.unfocus(child, actor)
    await eventually(async () => (await stateOf(child)) === "COMPLETED")
  })

  it("ends with a parent that is cancelled", async () => {
    const { client } = await open({
      model: withChild(async (request) => {
        await new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted"))))
        return { text: "never" }
      }),
    })
    const parent = await startParent()
    const child = await childOf(parent)
    await eventually(async () => (await client.info(child)).status === "running")
    await client.cancel(parent, actor)
    await eventually(async () => (await stateOf(child)) === "CANCELLED")
    expect(await client.info(child)).toMatchObject({ status: "cancelled" })
    expect(said().filter((text) => text !== "Parent received: nothing yet")).toEqual([])
  })

  it("is closed by a cancel between two runs, and keeps its outcome", async () => {
    const { client } = await open({ model: withChild(() => ({ text: "child says hello" })) })
    const parent = await startParent()
    const child = await childOf(parent)
    await eventually(() => said("t1").includes("Parent received: child says hello"))
    expect(await client.cancel(child, actor)).toEqual({ status: "completed" })
    await eventually(async () => (await stateOf(child)) !== "RUNNING")
    expect(await client.info(child)).toMatchObject({ status: "completed", final_message: "child says hello" })
    expect(await bindingOf(child)).toBeUndefined()
  })

  it("reaches its parent as a failure if it was terminated", async () => {
    const { client } = await open({
      model: createFakeModel(async (request, turn) => {
        if (firstUser(request) === "CHILD")
          await new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(new Error("aborted"))))
        if (turn === 1) return { calls: [["sessions_spawn", { task: "CHILD", thread: true }]] }
        return { text: /status: (\w+)/.exec(lastUser(request))?.[1] ?? "nothing" }
      }),
    })
    const parent = await startParent()
    const child = await childOf(parent)
    await eventually(async () => (await client.info(child)).status === "running")
    await harness.handle(child).terminate("by hand")
    // A client that waits for it records its end; a read does not.
    expect(await client.wait(child)).toMatchObject({ outcome: "failed", stop_reason: "terminated" })
    await eventually(() => said("t1").includes("failed"))
  })

  it("is rejected if the requester has no channel", async () => {
    const { client, start } = await open({
      model: createFakeModel((request, turn) => {
        if (turn === 1) return { calls: [["sessions_spawn", { task: "CHILD", thread: true }]] }
        const tool = request.messages.findLast((message) => message.role === "tool")
        return { text: tool?.role === "tool" ? tool.content : "" }
      }),
    })
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ final_message: expect.stringContaining("needs a channel") })
  })

  it("leaves the lists after its announcement if it was spawned with cleanup, but only after its thread is free", async () => {
    const { client, temporal, taskQueue } = await open({
      model: withChild(() => ({ text: "child says hello" }), { cleanup: "delete" }),
    })
    const parent = await startParent()
    const child = await childOf(parent)
    await eventually(() => said("t1").includes("Parent received: child says hello"))
    const reconcile = () =>
      temporal.workflow.execute("reconcile", { workflowId: `reconcile/${taskQueue}/test`, taskQueue })
    await reconcile()
    const archived = async () => (await harness.store.sessions.get(child))?.archivedAt ?? null
    expect(await archived()).toBeNull()
    await client.channels.unfocus(child, actor)
    await eventually(async () => (await stateOf(child)) === "COMPLETED")
    await reconcile()
    expect(await archived()).not.toBeNull()
  })
})
