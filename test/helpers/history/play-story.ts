import { availableParallelism, loadavg } from "node:os"
import { z } from "zod"
import { newMessageId } from "../../../sessions/session-id.ts"
import type { Store } from "../../../store/store.ts"
import type { Tool } from "../../../tools/tool.ts"
import { askEngine } from "../../chaos/checks/played-history.ts"
import { type Harness, type HarnessOptions, openHarnessAt } from "../engine/open-harness-at.ts"
import { replayLater } from "../engine/replay-later.ts"
import { eventually, untilPasses } from "../eventually.ts"
import { openReceiver, type OpenReceiver, receiverSecret } from "../http/webhook-receiver.ts"
import { createFakeModel } from "../models/fake-model.ts"
import { checkHistory } from "./check-history.ts"
import type { Effect, Told } from "./history.ts"
import { readSessions } from "./read-history.ts"

/** Returns a limit of a story, which is longer where the processors have more to do than they can. */
const patient = (limitMs: number): number => limitMs * Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())

const actor = { by: "ana", via: "cli" } as const

export interface Played {
  readonly sessionId: string
  readonly told: Told
}

/** Where stories are played: each has a message, a run, a child, decisions, steering and a delivery. */
export interface Stage extends AsyncDisposable {
  readonly harness: Harness
  readonly receiver: OpenReceiver
  /** What calls did; `key` is the story's prompt, with which call it is. A model that is asked again after other messages makes another one. */
  readonly effects: readonly Effect[]
  /** Plays a story once. A client repeats what was not acknowledged, under the same id. */
  play(prompt: string): Promise<Played>
  /** Accepts whatever is pending until the story has ended; returns the decisions that were acknowledged. */
  decideUntil(sessionId: string, isOver: () => Promise<boolean>): Promise<Told["decisions"]>
  /** Compares what happened with what was told, as the store shows it; waits for what is recorded some time after the end. `counts`: the violations to report. */
  problemsOf(played: Played, store: Store, counts?: (problem: string) => boolean): Promise<readonly string[]>
}

interface StageOptions extends Pick<HarnessOptions, "reconcileEverySeconds"> {
  /** host:port of the engine. */
  readonly address: string
  readonly storeUrl: string
}

/** Opens a stage with an engine and a store. */
export const openStage = async ({ address, storeUrl, ...options }: StageOptions): Promise<Stage> => {
  const effects: Effect[] = []
  const steered = new Map<string, PromiseWithResolvers<void>>()
  const countTool: Tool = {
    ...{ name: "Count", description: "Counts.", idempotent: false, readOnly: false },
    input: z.strictObject({ key: z.string() }),
    execute: async (input) => {
      effects.push({ key: z.strictObject({ key: z.string() }).parse(input).key })
      return { content: "counted" }
    },
  }
  const model = createFakeModel(async (request, turn) => {
    const [first] = [...(request.hidden ?? []), ...request.messages]
    const text = first?.role === "user" ? first.text : ""
    if (!text.startsWith("STORY")) return { text: "The sub-agent is done." }
    if (turn === 1) return { calls: [["sessions_spawn", { task: "help" }]] }
    const after = `after ${request.messages.length + (request.hidden ?? []).length} messages`
    if (turn === 2) return { calls: [["Count", { key: `${text}, first, ${after}` }]] }
    if (turn === 3) {
      await steered.get(text)?.promise
      return { calls: [["Count", { key: `${text}, steered, ${after}` }]] }
    }
    return turn === 4 ? { calls: [["sessions_yield", {}]] } : { text: "Done." }
  })
  const receiver = await openReceiver()
  const harness = await openHarnessAt(
    address,
    {
      ...{ model, tools: [countTool], env: { HOOK_SECRET: receiverSecret }, ...options },
      config: {
        store: { url: storeUrl },
        tools: { policy: { Count: "prompt" } },
        webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET", events: ["run-finished"] }],
        timing: { deliveryInitialMs: 20, deliveryMaxMs: 200, laneRetryMs: 1_000 },
      },
    },
    replayLater,
  )

  const decideUntil: Stage["decideUntil"] = async (sessionId, isOver) => {
    const decided = new Map<string, Told["decisions"][number]>()
    await eventually(
      async () => {
        const pending = await harness.store.pauses.current(sessionId).catch(() => undefined)
        if (pending === undefined) return isOver()
        const { checkpointId } = pending
        const request = { sessionId, checkpointId, all: { action: "accept" }, unlisted: "pending", actor } as const
        const isAccepted = await harness.client.decide(request).then(
          () => true,
          () => false,
        )
        if (isAccepted) for (const { id } of pending.calls) decided.set(id, { sessionId, callId: id, action: "accept" })
        return false
      },
      { timeoutMs: patient(120_000), everyMs: 100 },
    )
    return [...decided.values()]
  }

  const hasCompleted = async (sessionId: string): Promise<boolean> =>
    (await harness.client.info(sessionId).catch(() => undefined))?.status === "completed"

  return {
    ...{ harness, receiver, effects, decideUntil },
    async play(prompt) {
      steered.set(prompt, Promise.withResolvers())
      const patience = { timeoutMs: patient(60_000), everyMs: 100 }
      const sessionId = await untilPasses(() => harness.start({ prompt, auto_approve: false }), patience)
      const text = `Count again, ${prompt}.`
      const messageId = newMessageId()
      const steer = async (): Promise<void> => {
        await eventually(() => effects.some(({ key }) => key.startsWith(`${prompt},`)), { timeoutMs: patient(90_000) })
        await untilPasses(() => harness.client.send({ sessionId, text, type: "steering", messageId, actor }), patience)
        steered.get(prompt)?.resolve()
      }
      const [decisions] = await Promise.all([decideUntil(sessionId, () => hasCompleted(sessionId)), steer()])
      const messages = [
        { sessionId, text: prompt },
        { sessionId, text, isSteering: true },
      ]
      return { sessionId, told: { messages, decisions, cancels: [] } }
    },
    async problemsOf({ sessionId, told }, store, counts = () => true) {
      const [first] = told.messages
      const read = () => readSessions(store, askEngine(harness.temporal), [sessionId])
      const own = () => effects.filter(({ key }) => key.split(",")[0] === first?.text)
      let found: readonly string[] = []
      await eventually(async () => {
        found = checkHistory({ told, effects: own(), sessions: await read() }).filter(counts)
        return found.length === 0
      }).catch(() => undefined)
      return found
    },
    async [Symbol.asyncDispose]() {
      await harness.close()
      await receiver.close()
    },
  }
}
