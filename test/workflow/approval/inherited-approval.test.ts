import { tmpdir } from "node:os"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { z } from "zod"
import type { RemoteActor } from "../../../sessions/actor.ts"
import type { SessionRow } from "../../../store/store.ts"
import type { Tool } from "../../../tools/tool.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel, type HeldModel } from "../../helpers/models/held-model.ts"
import { type HttpHarness, openHttpHarness } from "../../helpers/http/http-harness.ts"

// A follow-up, a fork or steering by a caller who may not approve calls continued with the approval that the
// session had.

const tokens = {
  OWNER: { name: "owner", scopes: ["admin"] },
  APPROVER: { name: "approver", scopes: ["read", "run", "approve"] },
  RUNNER: { name: "runner", scopes: ["read", "run"] },
} as const
type Token = keyof typeof tokens
const secretOf = (token: Token): string => `secret-of-${token}`

let harness: HttpHarness
let model: HeldModel
/** Names of the calls that ran; no two tests use the same name. */
const executed: string[] = []

const mutate: Tool<{ name: string }> = {
  name: "Mutate",
  description: "Changes something.",
  input: z.strictObject({ name: z.string() }),
  readOnly: false,
  idempotent: false,
  execute: async ({ name }) => {
    executed.push(name)
    return { content: `${name} is done` }
  },
}

const asking: Tool = {
  name: "Ask",
  description: "Asks a person.",
  input: z.strictObject({}),
  readOnly: true,
  idempotent: true,
  execute: async (_, { answered }) =>
    answered === undefined ? { content: "", question: { message: "Which?", state: "s" } } : { content: answered.text },
}

const scripted = { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } as const

beforeAll(async () => {
  model = createHeldModel()
  harness = await openHttpHarness(
    {
      model: model.provider,
      tools: [mutate, asking],
      config: {
        models: { main: scripted, light: scripted },
        agents: { general: { delegation: "sessions" }, tasker: { delegation: "tasks" } },
        subagents: { maxSpawnDepth: 2, maxConcurrent: 0 },
        http: {
          workspaces: [tmpdir()],
          tokens: Object.entries(tokens).map(([name, { scopes, ...rest }]) => ({
            ...rest,
            scopes: [...scopes],
            tokenEnv: name,
          })),
        },
      },
    },
    { env: Object.fromEntries(Object.keys(tokens).map((name) => [name, secretOf(name as Token)])) },
  )
})
afterAll(() => harness.close())

const runner: RemoteActor = {
  by: "ci",
  via: "http",
  kind: "program",
  authority: { approval: "policy", directories: "any" },
}

const as = (token: Token) => ({ authorization: `Bearer ${secretOf(token)}` })
const post = (token: Token, path: string, body: unknown) => harness.post(`/v1/sessions${path}`, body, as(token))
const untilAsked = (id: string) => eventually(() => model.isWaiting(id))
const rowOf = async (id: string): Promise<SessionRow> => (await harness.store.sessions.get(id))!
const waitForStatus = (id: string, status: string) => eventually(async () => (await rowOf(id)).status === status)

/** Lets the waiting model propose a call that needs approval by policy. */
const mutates = (id: string, name: string): boolean => model.reply(id, { calls: [["Mutate", { name }]] })

const expectAsked = async (id: string, name: string): Promise<void> => {
  await untilAsked(id)
  mutates(id, name)
  await waitForStatus(id, "paused")
  expect((await harness.store.pauses.current(id))?.calls).toMatchObject([{ name: "Mutate", arguments: { name } }])
  expect(executed).not.toContain(name)
}

const expectUnasked = async (id: string, name: string): Promise<void> => {
  await untilAsked(id)
  mutates(id, name)
  await eventually(() => executed.includes(name))
  await untilAsked(id)
}

/** A session that this token created, with a run of the owner in which every call is approved. */
const startFree = async (
  options: Readonly<Record<string, unknown>> = {},
  agent = "general",
  creator: Token = "OWNER",
): Promise<string> => {
  const { body } = await post(creator, "", { cwd: harness.cwd, agent })
  const message = { message: "Begin.", auto_approve: true, ...options }
  expect((await post("OWNER", `/${body.id}/messages`, message)).status).toBe(202)
  await expectUnasked(body.id, `${body.id} at first`)
  return body.id
}

const complete = async (id: string): Promise<void> => {
  await untilAsked(id)
  model.reply(id, { text: "done" })
  await waitForStatus(id, "completed")
}

const send = (token: Token, id: string, body: Readonly<Record<string, unknown>>) =>
  post(token, `/${id}/messages`, { message: "And now?", ...body })

describe("over HTTP, a caller who may not approve calls", () => {
  it("cannot start a run without approvals by a message to a finished session", async () => {
    const id = await startFree()
    await complete(id)
    expect((await send("RUNNER", id, { type: "follow_up" })).status).toBe(202)
    await expectAsked(id, "after the runner's follow-up")
    await harness.client.cancel(id, { by: "test", via: "cli" })
    await waitForStatus(id, "cancelled")
    // Nothing widens it again, and an approver decides call by call.
    const again = await send("APPROVER", id, { auto_approve: true })
    expect([again.status, again.body.code]).toEqual([422, "limit_widened"])
  })

  it("gains no approval by a fork, with a message or without", async () => {
    const id = await startFree()
    await complete(id)
    const fork = await post("RUNNER", `/${id}/fork`, { at_step: 1, message: "Another way." })
    expect(fork.status).toBe(201)
    await expectAsked(fork.body.id, "in the runner's fork")
    const silent = await post("RUNNER", `/${id}/fork`, { at_step: 1 })
    expect((await send("APPROVER", silent.body.id, {})).status).toBe(202)
    await expectAsked(silent.body.id, "in the runner's fork, by the approver")
    const own = await post("APPROVER", `/${id}/fork`, { at_step: 1, message: "Another way." })
    await expectUnasked(own.body.id, "in the approver's fork")
  })

  it("narrows a run that it steers to its approval policy", async () => {
    const id = await startFree()
    expect((await send("RUNNER", id, { type: "steering" })).status).toBe(202)
    // The current turn did not know of it, and its calls are skipped.
    mutates(id, "before the steering was read")
    await expectAsked(id, "after the runner's steering")
    expect(executed).not.toContain("before the steering was read")
    const details = await harness.handle(id).query<{ currentDetails?: string }>("__temporal_workflow_metadata")
    expect(details.currentDetails).toContain("a sender without approval rights sent a message")
    const { items: audit } = await harness.client.audit({ sessionId: id })
    expect(audit.find(({ action }) => action === "steering")).toMatchObject({
      by: "runner",
      detail: { approves: "policy" },
    })
  })

  it("answers a question, and the run that asked continues under its policy", async () => {
    const id = await startFree({ pause_on_approval: true })
    model.reply(id, { text: "Which one?" })
    await waitForStatus(id, "paused")
    expect((await send("RUNNER", id, {})).status).toBe(202)
    await expectAsked(id, "after the runner's answer")
  })

  it("answers a tool's question, and calls that were proposed before are not delayed", async () => {
    const id = await startFree()
    model.reply(id, {
      calls: [
        ["Ask", {}],
        ["Mutate", { name: "proposed before" }],
      ],
    })
    await waitForStatus(id, "paused")
    expect((await send("RUNNER", id, {})).status).toBe(202)
    await eventually(() => executed.includes("proposed before"))
    await expectAsked(id, "after the runner's answer (2)")
  })

  it("queues a message, and the run that it starts follows policy", async () => {
    const id = await startFree()
    expect((await send("RUNNER", id, { type: "follow_up" })).status).toBe(202)
    mutates(id, "still in the owner's run")
    await eventually(() => executed.includes("still in the owner's run"))
    await untilAsked(id)
    const { runId } = await rowOf(id)
    model.reply(id, { text: "done" })
    await eventually(async () => (await rowOf(id)).runId !== runId)
    await expectAsked(id, "in the queued run")
  })

  it("cannot ask for more: no auto_approve, no decision, no link, no higher budget", async () => {
    const id = await startFree({ pause_on_approval: true, budget_tokens: 30_000, allowed_tools: ["Mutate", "LS"] })
    for (const auto_approve of [true, ["Mutate"]]) {
      const asked = await send("RUNNER", id, { type: "follow_up", auto_approve })
      expect([asked.status, asked.body.code]).toEqual([403, "forbidden"])
    }
    const created = await post("RUNNER", "", { cwd: harness.cwd })
    expect((await send("RUNNER", created.body.id, { auto_approve: true })).status).toBe(403)
    model.reply(id, { calls: [["LS", {}]] }, 200)
    await waitForStatus(id, "paused")
    const raised = await send("RUNNER", id, { budget_tokens: 900_000 })
    expect([raised.status, raised.body.code]).toEqual([403, "forbidden"])
    const pause = await harness.store.pauses.current(id)
    const link = { checkpoint_id: pause?.checkpointId }
    expect((await harness.post("/v1/approval-links", link, as("RUNNER"))).status).toBe(403)
    expect((await send("APPROVER", id, { budget_tokens: 900_000 })).status).toBe(202)
    const paused = pause?.checkpointId
    await eventually(async () => (await harness.store.pauses.current(id))?.checkpointId !== paused)
    await harness.client.cancel(id, { by: "test", via: "cli" })
    await waitForStatus(id, "cancelled")
  })

  it("rejects a call with a text, and the run that reads it continues under policy", async () => {
    const reject = async (id: string, content?: string) => {
      model.reply(id, { calls: [["Write", { file_path: "a.txt", content: "x" }]] })
      await waitForStatus(id, "paused")
      const all = { action: "reject", ...(content === undefined ? {} : { content }) } as const
      await harness.client.decide({ sessionId: id, all, unlisted: "reject", actor: runner })
    }
    const silent = await startFree({ auto_approve: ["Mutate"] })
    await reject(silent)
    await expectUnasked(silent, "after the runner's rejection")
    const id = await startFree({ auto_approve: ["Mutate"] })
    await reject(id, "Mutate it instead.")
    await expectAsked(id, "after the runner's reason")
  })

  it("leaves a text at the end of a budget, and later runs that read it follow policy", async () => {
    const id = await startFree({ pause_on_approval: true, budget_tokens: 30_000, allowed_tools: ["Mutate", "LS"] })
    await eventually(async () => {
      if (model.isWaiting(id)) model.reply(id, { calls: [["LS", {}]] })
      return (await rowOf(id)).status === "paused"
    })
    expect((await send("RUNNER", id, { type: "steering" })).status).toBe(202)
    expect((await post("RUNNER", `/${id}/cancel`, {})).status).toBe(200)
    await waitForStatus(id, "cancelled")
    expect((await send("APPROVER", id, { type: "follow_up" })).status).toBe(202)
    await expectAsked(id, "after the approver's follow-up to that")
  })

  it("changes nothing for messages of an approver, and for runs that follow policy anyway", async () => {
    const id = await startFree()
    expect((await send("APPROVER", id, { type: "steering" })).status).toBe(202)
    model.reply(id, { calls: [["LS", {}]] })
    await expectUnasked(id, "after the approver's steering")
    await complete(id)
    expect((await send("APPROVER", id, { type: "follow_up" })).status).toBe(202)
    await expectUnasked(id, "after the approver's follow-up")
  })
})

describe("in a tree, a message of a caller who may not approve calls", () => {
  const spawn = async (parentId: string): Promise<string> => {
    model.reply(parentId, { calls: [["sessions_spawn", { task: "Help." }]] })
    await eventually(async () => (await harness.store.sessions.list({ parentId, limit: 9 })).items.length > 0)
    const [child] = (await harness.store.sessions.list({ parentId, limit: 9 })).items
    await untilAsked(child!.id)
    await untilAsked(parentId)
    return child!.id
  }
  const steer = (id: string) =>
    harness.client.send({ sessionId: id, text: "Say that it must mutate.", type: "steering", actor: runner })

  it("narrows the sessions above its reader before they read the reader's result", async () => {
    const rootId = await startFree()
    const middleId = await spawn(rootId)
    const childId = await spawn(middleId)
    await expectUnasked(childId, "below, before")
    await steer(childId)
    model.reply(childId, { calls: [["LS", {}]] })
    await untilAsked(childId)
    model.reply(childId, { text: "It must mutate." })
    await waitForStatus(childId, "completed")
    model.reply(middleId, { calls: [["LS", {}]] })
    await expectAsked(middleId, "in the middle, after")
    model.reply(rootId, { calls: [["LS", {}]] })
    await expectAsked(rootId, "at the top, after")
  })

  it("narrows the sub-agent that a narrowed agent steers, sends to or restarts", async () => {
    const rootId = await startFree()
    const childId = await spawn(rootId)
    await expectUnasked(childId, "below, before (2)")
    await steer(rootId)
    model.reply(rootId, { calls: [["LS", {}]] })
    await untilAsked(rootId)
    // No message has reached the child yet.
    await expectUnasked(childId, "below, before the parent steers")
    model.reply(rootId, { calls: [["subagents", { action: "steer", target: childId, message: "Mutate." }]] })
    await untilAsked(rootId)
    model.reply(childId, { calls: [["LS", {}]] })
    await expectAsked(childId, "below, after the parent steered")
    await harness.client.decide({ sessionId: childId, all: { action: "reject" }, unlisted: "pending", actor: runner })
    await complete(childId)
    model.reply(rootId, { calls: [["sessions_send", { sessionKey: childId, message: "Again." }]] })
    await expectAsked(childId, "below, in its next run")
  })

  it("keeps an agent that did not read it from approving what a sub-agent does for it", async () => {
    const rootId = await startFree({}, "tasker")
    const task = { description: "x", instructions: "Help.", tools: ["Mutate", "LS"] }
    model.reply(rootId, { calls: [["dynamic_subagent_task", task]] })
    await eventually(async () => (await harness.store.sessions.list({ parentId: rootId, limit: 9 })).items.length > 0)
    const [child] = (await harness.store.sessions.list({ parentId: rootId, limit: 9 })).items
    const childId = child!.id
    await untilAsked(childId)
    await untilAsked(rootId)
    await steer(childId)
    model.reply(childId, { calls: [["LS", {}]] })
    await expectAsked(childId, "for the runner")
    // The current turn began before the sub-agent was steered.
    model.reply(rootId, { calls: [["resume_subagent_task", { task_id: childId, approve_all: true }]] })
    await untilAsked(rootId)
    expect(executed).not.toContain("for the runner")
    const { message } = (await harness.client.messages(rootId)).findLast((row) => row.message.role === "tool")!
    expect(message).toMatchObject({ content: expect.stringContaining("only a person can approve") })
  })

  it("gives a child that a narrowed agent restarts no more than that agent has", async () => {
    const rootId = await startFree()
    const childId = await spawn(rootId)
    await expectUnasked(childId, "below, before (3)")
    await complete(childId)
    await untilAsked(rootId)
    await steer(rootId)
    model.reply(rootId, { calls: [["LS", {}]] })
    await untilAsked(rootId)
    model.reply(rootId, { calls: [["sessions_send", { sessionKey: childId, message: "Again." }]] })
    await expectAsked(childId, "below, in its next run (2)")
  })
})

describe("over MCP, a client that may not approve calls", () => {
  const connect = async (token: Token): Promise<Client> => {
    const client = new Client({ name: "test", version: "1.0.0" })
    const requestInit = { headers: as(token) }
    await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", harness.url), { requestInit }))
    return client
  }

  it.each(["sessions_send", "subagents", "resume_subagent_task"])(
    "continues a finished session by %s without its approval",
    async (name) => {
      const id = await startFree({}, "general", "RUNNER")
      await complete(id)
      const args = {
        sessions_send: { sessionKey: id, message: "And now?" },
        subagents: { action: "send", target: id, message: "And now?" },
        resume_subagent_task: { task_id: id, input: "And now?" },
      }[name]
      const client = await connect("RUNNER")
      expect(await client.callTool({ name, arguments: args ?? {} })).not.toMatchObject({ isError: true })
      await client.close()
      await expectAsked(id, `after ${name}`)
    },
  )

  it("narrows a run that it steers to its approval policy", async () => {
    const id = await startFree({}, "general", "RUNNER")
    const client = await connect("RUNNER")
    const args = { action: "steer", target: id, message: "Mutate." }
    expect(await client.callTool({ name: "subagents", arguments: args })).not.toMatchObject({ isError: true })
    await client.close()
    model.reply(id, { calls: [["LS", {}]] })
    await expectAsked(id, "after the steering")
  })

  it("differs from a client with the scope approve", async () => {
    const id = await startFree({}, "general", "APPROVER")
    await complete(id)
    const client = await connect("APPROVER")
    await client.callTool({ name: "sessions_send", arguments: { sessionKey: id, message: "And now?" } })
    await client.close()
    await expectUnasked(id, "by the approver's client")
  })
})
