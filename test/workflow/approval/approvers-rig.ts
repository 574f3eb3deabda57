import { tmpdir } from "node:os"
import { expect } from "vitest"
import { z } from "zod"
import type { RemoteActor } from "../../../sessions/actor.ts"
import type { SessionRow } from "../../../store/store.ts"
import type { Tool } from "../../../tools/tool.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { openHttpHarness } from "../../helpers/http/http-harness.ts"

const tokens = {
  OWNER: { name: "owner", scopes: ["admin"] },
  APPROVER: { name: "approver", scopes: ["read", "run", "approve"] },
  RUNNER: { name: "runner", scopes: ["read", "run"] },
} as const
export type Token = keyof typeof tokens
const secretOf = (token: Token): string => `secret-of-${token}`

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

/** The runner, as the store and the workflow get it. */
export const runner: RemoteActor = {
  by: "ci",
  via: "http",
  kind: "program",
  authority: { approval: "policy", directories: "any" },
}

/**
 * Opens a server whose callers may approve calls (the owner and the approver) or not (the runner), with a model that waits for the test, and a tool
 * `Mutate` that policy asks about.
 */
export const openApprovers = async () => {
  const model = createHeldModel()
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
  const harness = await openHttpHarness(
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

  return {
    harness,
    model,
    executed,
    startFree,
    expectAsked,
    expectUnasked,
    untilAsked,
    waitForStatus,
    mutates,
    rowOf,
    complete,
    send,
    post,
    as,
  }
}

export type Approvers = Awaited<ReturnType<typeof openApprovers>>
