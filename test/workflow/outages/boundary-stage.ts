import { existsSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished } from "vitest"
import { z } from "zod"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { newSessionId } from "../../../sessions/session-id.ts"
import { ModelError } from "../../../models/model-error.ts"
import type { ModelRequest } from "../../../models/model-provider.ts"
import type { Tool } from "../../../tools/tool.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { openReceiver, type OpenReceiver, receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { createTestServerConfig } from "../../helpers/mcp/server-config.ts"
import { countTurn, createAssistantReply } from "../../helpers/models/fake-model.ts"
import { promptTokens } from "../../helpers/models/windowed-model.ts"
import { createAwayStore, type Failure, type StoreCall } from "../../helpers/store/away-store.ts"
import { initRepository } from "../../helpers/worktree-repository.ts"
import { kindOf, type KindName, type Play, replyOf } from "./boundary-kinds.ts"

/** These only stop a hang. */
export const patience = { timeoutMs: 240_000 }

let plannedPlays = 0
export const newPlay = (kind: KindName): Play => {
  plannedPlays += 1
  return { id: newSessionId(12), kind, number: plannedPlays % 230, isKnown: kind !== "CHAT" }
}

/** Where the sessions of a test play. */
export interface Stage {
  readonly harness: Harness
  readonly receiver: OpenReceiver
  readonly plays: readonly Play[]
  /** How often each model turn was paid for. */
  readonly asked: ReadonlyMap<string, number>
  readonly countPaid: () => Promise<number>
  /** The calls that were decided, and the sessions that were closed. */
  readonly decided: Set<string>
  /** The sessions whose provider was away. */
  readonly waitsFor: Map<string, "provider" | "nothing">
}

export interface StageOptions {
  readonly plays: readonly Play[]
  readonly decide: (call: StoreCall) => Failure
}

const payTool = (onPay: () => void): Tool => ({
  ...{ name: "Pay", description: "Pays.", idempotent: false, readOnly: false },
  input: z.strictObject({ amount: z.number() }),
  execute: async () => {
    onPay()
    return { content: "paid" }
  },
})

const lookTool: Tool = {
  ...{ name: "Look", description: "Looks at a place.", idempotent: true, readOnly: true },
  input: z.strictObject({ at: z.number() }),
  execute: async () => ({ content: "no herons here ".repeat(1_200) }),
}

const scripted = { provider: "scripted", script: "unused.yaml" } as const

const configOf = (url: string, place: { readonly program: string; readonly log: string }): ConfigInput => ({
  models: {
    main: scripted,
    light: scripted,
    small: { ...scripted, maxOutputTokens: 1_000, contextTokens: 16_000 },
  },
  agents: {
    program: { type: "binary", command: place.program },
    bridge: { type: "mcp-bridge", mcpTool: "mcp__docs__note", mcpToolInput: '{"line": "{{task}}"}' },
  },
  mcpServers: { docs: createTestServerConfig({ TEST_LOG: place.log }) },
  channels: { team: { type: "webhook", outboundUrl: url, secretEnv: "HOOK_SECRET" } },
  hooks: { "agent:llm-before-execute": [{ command: "/bin/true" }] },
  security: { allowBinaryAgents: true },
  subagents: { maxConcurrent: 100 },
  webhooks: [{ url, secretEnv: "HOOK_SECRET", events: ["run-finished"] }],
  timing: {
    ...{ deliveryInitialMs: 10, deliveryMaxMs: 40 },
    ...{ modelAttempts: 2, providerPauseSeconds: 86_400, providerRetryInitialMs: 200, providerRetryMaxMs: 400 },
  },
})

/** Creates a program and a file, which gets a line for each payment of a program. */
const makePlace = async () => {
  const folder = await mkdtemp(join(tmpdir(), "adjutant-boundaries-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const log = join(folder, "paid")
  const program = join(folder, "pay.sh")
  await writeFile(program, `#!/bin/sh\necho paid >> '${log}'\necho done\n`, { mode: 0o700 })
  const countLines = async (): Promise<number> =>
    existsSync(log) ? (await readFile(log, "utf8")).trim().split("\n").length : 0
  return { log, program, countLines }
}

const firstText = ({ hidden = [], messages }: ModelRequest): string => {
  const first = [...hidden, ...messages].find((message) => message.role === "user")
  return first?.role === "user" ? first.text : ""
}

/** Returns the model, which notes what it is asked. `getHarness`: the model sends messages, too. */
const createModel = (stage: Pick<Stage, "plays" | "waitsFor">, getHarness: () => Harness) => {
  const asked = new Map<string, number>()
  const prepare = async (id: string, instruction: string, turn: number): Promise<void> => {
    if (instruction === "CHAT") {
      const find = () => stage.plays.find((play) => play.id === id)
      await eventually(() => find() !== undefined, patience)
      const play = find()
      if (play !== undefined) play.isKnown = true
    }
    if (instruction === "AWAY" && stage.waitsFor.get(id) !== "nothing") {
      stage.waitsFor.set(id, "provider")
      throw new ModelError("retry", "the provider answered 529: overloaded")
    }
    if (instruction === "HELPER") {
      const { store } = getHarness()
      const sessionId = (await store.sessions.get(id))?.parentId ?? ""
      // Its parent says in its thread that it waits, and is told of the end after that.
      await eventually(async () => (await store.deliveries.list({ sessionId })).length > 0, patience)
    }
    // In the form of a program, but unsigned.
    if (instruction === "TYPED" && turn === 1)
      await getHarness()
        .handle(id)
        .signal("inbox", { id: `typed-${id}`, type: "steering", source: "announce" })
  }
  return {
    asked,
    model: {
      respond: async (request: ModelRequest) => {
        const turn = countTurn(request)
        const instruction = firstText(request)
        await prepare(request.cacheKey, instruction, turn)
        const key = `${request.cacheKey} ${turn} ${request.purpose ?? ""}`
        asked.set(key, (asked.get(key) ?? 0) + 1)
        const reply = request.purpose === "summary" ? { text: "No herons so far." } : replyOf(instruction, turn)
        const message = createAssistantReply(reply, turn)
        // A conversation gets too long only for a model that counts its tokens.
        return { ...message, usage: { ...message.usage, inputTokens: promptTokens(request) } }
      },
    },
  }
}

/** Opens a stage on which store calls of activities fail as `decide` says. */
export const openStage = async ({ plays, decide }: StageOptions): Promise<Stage> => {
  let paid = 0
  const isRefused = (id: unknown): boolean => plays.some((play) => play.id === id && play.kind === "REFUSED")
  const receiver = await openReceiver((_, { body }) => (isRefused(body.session?.id) ? 410 : 204))
  onTestFinished(() => receiver.close())
  const place = await makePlace()
  const waitsFor: Stage["waitsFor"] = new Map()
  const { asked, model } = createModel({ plays, waitsFor }, () => harness)
  const harness: Harness = await openHarness({
    model,
    tools: [payTool(() => (paid += 1)), lookTool],
    env: { HOOK_SECRET: receiverSecret },
    config: configOf(receiver.url, place),
    workerStore: (store) => createAwayStore(store, decide),
  })
  initRepository(harness.cwd, { "a.txt": "one\n" })
  const countPaid = async (): Promise<number> => paid + (await place.countLines())
  return { harness, receiver, plays, asked, countPaid, decided: new Set(), waitsFor }
}

/** Starts a session. */
export const startPlay = async ({ harness }: Stage, play: Play): Promise<void> => {
  const { id, kind, number } = play
  if (kind === "CHAT") {
    const message = { thread_key: id, text: kind, message_id: id }
    const reception = await harness.client.channels.receive("team", message)
    if (reception.kind !== "accepted") throw new Error("the message was not accepted")
    play.id = reception.sessionId
    return
  }
  const { request = {} } = kindOf(kind)
  const limits =
    "agent" in request
      ? { timeout_seconds: 10_000 + number }
      : { max_steps: 20 + number, allowed_tools: ["Pay", "Look", "sessions_spawn", "sessions_yield"] }
  await harness.start({ sessionId: id, prompt: kind, auto_approve: false, ...limits, ...request })
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Expects that each step of these sessions was paid for once, and each announcement was delivered once or refused. */
export const expectOnce = async ({ harness, receiver, plays, asked, countPaid }: Stage): Promise<void> => {
  expect([...asked].filter(([, times]) => times !== 1)).toEqual([])
  expect(await countPaid()).toBe(sum(plays.map(({ kind }) => kindOf(kind).payments)))
  const idsOf = (isWanted: (kind: KindName) => boolean) =>
    plays.flatMap(({ id, kind }) => (isWanted(kind) ? [id] : [])).toSorted()
  const ids = idsOf((kind) => kind !== "REFUSED")
  const told = () => receiver.effects.map(({ body }) => String(body.session?.id)).filter((id) => ids.includes(id))
  await eventually(() => ids.every((id) => told().includes(id)), patience)
  expect(told().toSorted()).toEqual(ids)
  for (const sessionId of idsOf((kind) => kind === "REFUSED"))
    await eventually(async () => {
      const deliveries = await harness.store.deliveries.list({ sessionId })
      return deliveries.length === 1 && deliveries.every(({ status }) => status === "failed")
    }, patience)
}
