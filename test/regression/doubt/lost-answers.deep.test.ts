import { afterEach, expect, inject } from "vitest"
import { z } from "zod"
import { newMessageId } from "../../../sessions/session-id.ts"
import { openStore } from "../../../store/open-store.ts"
import type { Tool } from "../../../tools/tool.ts"
import { askEngine } from "../../chaos/checks/played-history.ts"
import { type LosingProxy, startLosingProxy } from "../../helpers/engine/losing-proxy.ts"
import { type Harness, openHarnessAt } from "../../helpers/engine/open-harness-at.ts"
import { replayLater } from "../../helpers/engine/replay-later.ts"
import { eventually, untilPasses } from "../../helpers/eventually.ts"
import { checkHistory } from "../../helpers/history/check-history.ts"
import type { Effect, Told } from "../../helpers/history/history.ts"
import { readSessions } from "../../helpers/history/read-history.ts"
import { openReceiver, type OpenReceiver, receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { testWith } from "../../helpers/needs.ts"
import { createSchema, postgres } from "../../helpers/store/store-under-test.ts"

// The answer of one call to the store or to Temporal is lost after it took effect: of each of them in turn, in a story with a message, a
// run, a child, a decision, steering and a delivery.

const actor = { by: "ana", via: "cli" } as const

/** One story out of so many begins with this call; the next run of the tests can take others. */
const stride = Number(process.env["ADJUTANT_TEST_STRIDE"] ?? 23)
const mostStories = Number(process.env["ADJUTANT_TEST_STORIES"] ?? 12)

let harness: Harness
let receiver: OpenReceiver
const closing: (() => PromiseLike<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

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
  if (turn === 2) return { calls: [["Count", { key: text }]] }
  if (turn === 3) {
    await steered.get(text)?.promise
    return { calls: [["Count", { key: `${text}, steered` }]] }
  }
  return turn === 4 ? { calls: [["sessions_yield", {}]] } : { text: "Done." }
})

const open = async (address: string, url: string): Promise<void> => {
  receiver = await openReceiver()
  closing.push(() => receiver.close())
  harness = await openHarnessAt(
    address,
    {
      model,
      tools: [countTool],
      env: { HOOK_SECRET: receiverSecret },
      config: {
        store: { url },
        tools: { policy: { Count: "prompt" } },
        webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET", events: ["run-finished"] }],
        timing: { deliveryInitialMs: 20, deliveryMaxMs: 200, laneRetryMs: 1_000 },
      },
    },
    replayLater,
  )
  closing.push(() => harness.close())
}

interface Played {
  readonly sessionId: string
  readonly told: Told
}

/** Decides whatever is pending until the session has ended; returns the decisions that were acknowledged. */
const decideAll = async (sessionId: string): Promise<Told["decisions"]> => {
  const decided = new Map<string, Told["decisions"][number]>()
  await eventually(
    async () => {
      const session = await harness.client.info(sessionId).catch(() => undefined)
      const pending = await harness.store.pauses.current(sessionId).catch(() => undefined)
      if (session?.status !== "paused" || pending === undefined) return session?.status === "completed"
      const callIds = pending.calls.map(({ id }) => id)
      const accepted = await harness.client
        .decide({
          sessionId,
          checkpointId: pending.checkpointId,
          all: { action: "accept" },
          unlisted: "pending",
          actor,
        })
        .then(
          () => callIds,
          () => [],
        )
      for (const callId of accepted) decided.set(callId, { sessionId, callId, action: "accept" })
      return false
    },
    { timeoutMs: 120_000, everyMs: 100 },
  )
  return [...decided.values()]
}

/** Plays the story once. A client repeats what was not acknowledged, under the same id. */
const play = async (prompt: string): Promise<Played> => {
  steered.set(prompt, Promise.withResolvers())
  const patience = { timeoutMs: 60_000, everyMs: 100 }
  const sessionId = await untilPasses(() => harness.start({ prompt, auto_approve: false }), patience)
  const text = `Count again, ${prompt}.`
  const messageId = newMessageId()
  const steer = async (): Promise<void> => {
    await eventually(() => effects.some(({ key }) => key === prompt), { timeoutMs: 90_000 })
    await untilPasses(() => harness.client.send({ sessionId, text, type: "steering", messageId, actor }), patience)
    steered.get(prompt)?.resolve()
  }
  const [decisions] = await Promise.all([decideAll(sessionId), steer()])
  const messages = [
    { sessionId, text: prompt },
    { sessionId, text, isSteering: true },
  ]
  return { sessionId, told: { messages, decisions, cancels: [] } }
}

/** Plays the story once for each call whose answer is lost, and compares what happened with what was told. */
const loseEach = async (proxy: LosingProxy, directUrl: string): Promise<void> => {
  // The other test has effects of the same names.
  effects.length = 0
  const store = await openStore({ url: directUrl, dataDir: harness.dataDir })
  closing.push(() => store.close())
  const problems: string[] = []
  let stories = 0
  for (let call = 1; stories < mostStories; call += stride) {
    proxy.arm(call)
    const prompt = `STORY ${call}`
    const { sessionId, told } = await play(prompt)
    if (!proxy.hasLost()) break
    stories += 1
    const read = () => readSessions(store, askEngine(harness.temporal), [sessionId])
    let found: readonly string[] = []
    await eventually(async () => {
      found = checkHistory({
        told,
        effects: effects.filter(({ key }) => key === prompt),
        sessions: await read(),
      })
      return found.length === 0
    }).catch(() => undefined)
    problems.push(...found.map((problem) => `call ${call}: ${problem}`))
    const delivered = () => receiver.effects.filter(({ body }) => body.session?.id === sessionId)
    await eventually(() => delivered().length > 0).catch(() => undefined)
    if (delivered().length !== 1) problems.push(`call ${call}: its result was delivered ${delivered().length} times`)
  }
  expect(stories).toBeGreaterThan(0)
  expect(problems).toEqual([])
}

testWith(
  [postgres()],
  "an answer of PostgreSQL that is lost loses and doubles nothing",
  async () => {
    const url = await createSchema()
    const { host } = new URL(url)
    const proxy = await startLosingProxy(host)
    closing.push(() => proxy[Symbol.asyncDispose]())
    const through = url.replace(host, proxy.address)
    await open(inject("temporalAddress"), through)
    await loseEach(proxy, url)
  },
  900_000,
)

testWith(
  [],
  "an answer of Temporal that is lost loses and doubles nothing",
  async () => {
    const proxy = await startLosingProxy(inject("temporalAddress"))
    closing.push(() => proxy[Symbol.asyncDispose]())
    await open(proxy.address, "sqlite:")
    await loseEach(proxy, "sqlite:")
  },
  900_000,
)
