import { afterEach, describe, expect, it, onTestFinished } from "vitest"
import { z } from "zod"
import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import type { createActivities } from "../../../activities/index.ts"
import { sessionIdOf, sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import { newSessionId } from "../../../sessions/session-id.ts"
import type { ModelRequest } from "../../../models/model-provider.ts"
import type { Tool } from "../../../tools/tool.ts"
import { eventually } from "../../helpers/eventually.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { openReceiver, type OpenReceiver, receiverSecret } from "../../helpers/http/webhook-receiver.ts"
import { countTurn, createAssistantReply, type FakeReply } from "../../helpers/models/fake-model.ts"
import { createAwayStore, type Failure, type StoreCall } from "../../helpers/store/away-store.ts"

type Activities = ReturnType<typeof createActivities>

/**
 * `unplayed`: the activities of other kinds of sessions and calls, which use the same retries, and those without calls of the store. The others are the names
 * of the neighbouring tests that play the activity.
 */
type Behaviour = "waits" | "continues" | "unplayed" | "lane-boundaries" | "reconciler-boundaries"

/** What a session does while the store is away during an activity; the compiler refuses a table that lacks one. */
const behaviours: Readonly<Record<keyof Activities, Behaviour>> = {
  openRun: "waits",
  acquireSlot: "waits",
  runHooks: "waits",
  callModel: "waits",
  previewCalls: "continues",
  openPause: "waits",
  checkEdits: "waits",
  recordDecisions: "waits",
  runTool: "waits",
  prepareDelegation: "waits",
  answerDelegation: "waits",
  showWaiting: "waits",
  settleChild: "waits",
  closeRun: "waits",
  deliver: "continues",
  attributeDecision: "unplayed",
  attributeMessages: "unplayed",
  auditOperatorSignals: "unplayed",
  callBridge: "unplayed",
  checkBinding: "unplayed",
  closeWorktree: "unplayed",
  compact: "unplayed",
  findEndedHolders: "unplayed",
  giveUpDelivery: "unplayed",
  openWorktree: "unplayed",
  proposeCall: "unplayed",
  reachMachine: "unplayed",
  reconcileSessions: "reconciler-boundaries",
  releaseBinding: "unplayed",
  releaseSlot: "unplayed",
  reportRun: "unplayed",
  requestStop: "lane-boundaries",
  runBinary: "unplayed",
  sayInThread: "unplayed",
  showBlocked: "unplayed",
  showQueued: "lane-boundaries",
  startOpenSession: "unplayed",
  stopBackground: "unplayed",
  writeResult: "unplayed",
}
const isPlayed = (activity: string): boolean =>
  ["waits", "continues"].includes(behaviours[activity as keyof Activities])
const played = Object.keys(behaviours).filter(isPlayed)

/** What the model answers in sessions of each kind but parents, turn by turn. */
const scenes = {
  PAYING: [
    {
      calls: [
        ["Pay", { amount: 1 }],
        ["Pay", { amount: 1 }],
      ],
    },
    { text: "Paid." },
  ],
  CHILD: [{ calls: [["Pay", { amount: 1 }]] }, { text: "The child is done." }],
  BYSTANDER: [{ text: "Done." }],
} as const satisfies Readonly<Record<string, readonly FakeReply[]>>

/** A parent starts its child, and ends as soon as it can: its run waits for the child, whose pause it is told before. */
const replyOfParent = (turn: number): FakeReply => {
  if (turn === 1) return { calls: [["sessions_spawn", { task: "CHILD" }]] }
  return turn === 2 ? { calls: [["sessions_yield", {}]] } : { text: "All done." }
}

const replyOf = ({ messages }: ModelRequest, turn: number): FakeReply => {
  const [first] = messages
  const kind = first?.role === "user" ? first.text : ""
  if (kind === "PARENT") return replyOfParent(turn)
  const replies: readonly FakeReply[] = kind in scenes ? scenes[kind as keyof typeof scenes] : []
  return replies[turn - 1] ?? { text: `nothing is planned for ${kind}` }
}

/** The kinds of sessions that the tests start. */
type Kind = "PAYING" | "PARENT"
const paymentsOf = { PAYING: 2, PARENT: 1 }

interface Play {
  readonly id: string
  readonly kind: Kind
  /** Differs between sessions, so that none finds its settings in the memory of the worker. */
  readonly maxSteps: number
}

let plannedPlays = 0
/** Tests share the engine, in which ids are unique. */
const newPlay = (kind: Kind): Play => {
  plannedPlays += 1
  return { id: newSessionId(12), kind, maxSteps: 20 + (plannedPlays % 230) }
}

/** These only stop a hang. */
const patience = { timeoutMs: 240_000 }

interface Stage {
  readonly harness: Harness
  readonly receiver: OpenReceiver
  /** How often each model turn was paid for. */
  readonly asked: ReadonlyMap<string, number>
  readonly countPaid: () => number
  /** The calls that were decided. */
  readonly decided: Set<string>
}

let opened: Harness | undefined
afterEach(() => opened?.close())

const openStage = async (decide: (call: StoreCall) => Failure): Promise<Stage> => {
  const asked = new Map<string, number>()
  let paid = 0
  const pay: Tool = {
    ...{ name: "Pay", description: "Pays.", idempotent: false, readOnly: false },
    input: z.strictObject({ amount: z.number() }),
    execute: async () => {
      paid += 1
      return { content: "paid" }
    },
  }
  const receiver = await openReceiver(() => 204)
  onTestFinished(() => receiver.close())
  opened = await openHarness({
    model: {
      respond: async (request) => {
        const turn = countTurn(request)
        const key = `${request.cacheKey} ${turn}`
        asked.set(key, (asked.get(key) ?? 0) + 1)
        return createAssistantReply(replyOf(request, turn), turn)
      },
    },
    tools: [pay],
    env: { HOOK_SECRET: receiverSecret },
    config: {
      hooks: { "agent:llm-before-execute": [{ command: "/bin/true" }] },
      subagents: { maxConcurrent: 100 },
      webhooks: [{ url: receiver.url, secretEnv: "HOOK_SECRET", events: ["run-finished"] }],
    },
    workerStore: (store) => createAwayStore(store, decide),
  })
  return { harness: opened, receiver, asked, countPaid: () => paid, decided: new Set() }
}

const start = ({ harness }: Stage, { id, kind, maxSteps }: Play): Promise<string> =>
  harness.start({
    sessionId: id,
    prompt: kind,
    approval: "policy",
    maxSteps,
    tools: ["Pay", "sessions_spawn", "sessions_yield"],
  })

const actor = { by: "ana", via: "cli" }

/** A parent is shown as paused while it can do nothing but wait for its paused child; that takes effect before the child continues. */
const isParentShown = async ({ harness }: Stage, sessionId: string): Promise<boolean> => {
  const parentId = (await harness.store.sessions.get(sessionId))?.parentId ?? null
  return parentId === null || (await harness.store.sessions.get(parentId))?.status === "paused"
}

/** Decides the calls that are shown as pending, each once: the first of a turn as it is, the second with other arguments. */
const decideEach = async (stage: Stage): Promise<void> => {
  const { harness, decided } = stage
  const { items } = await harness.client.approvals()
  for (const { session_id: sessionId, pending } of items) {
    if (!(await isParentShown(stage, sessionId))) continue
    for (const { id } of pending) {
      if (decided.has(`${sessionId} ${id}`)) continue
      const decision = id.endsWith("1") ? { action: "accept" as const } : editOf(2)
      try {
        await harness.client.decide({ sessionId, decisions: { [id]: decision }, unlisted: "pending", actor })
        decided.add(`${sessionId} ${id}`)
      } catch (error) {
        // A busy engine: the next round sends it again.
        if (!isAdjutantError(error) || error.code !== "temporal_unavailable") throw error
      }
    }
  }
}
const editOf = (amount: number) => ({ action: "edit" as const, arguments: { amount } })

const statusOf = async ({ harness }: Stage, id: string) => (await harness.store.sessions.get(id))?.status ?? "pending"

/** Decides what is pending until the sessions have ended. Returns their statuses. */
const playToTheEnd = async (stage: Stage, plays: readonly Play[]): Promise<readonly string[]> => {
  const statuses = () => Promise.all(plays.map(({ id }) => statusOf(stage, id)))
  await eventually(async () => {
    await decideEach(stage)
    return (await statuses()).every(isFinal)
  }, patience)
  return statuses()
}

/** Returns which of these sessions made a call, by itself or through its child; undefined for others, such as the lane and deliveries. */
const createOwners = (plays: readonly Play[]) => {
  /** What a session asked the store to write for its child contains the id of the child. */
  const spawned = new Map<string, string[]>()
  return ({ activity, workflowId, args }: StoreCall): Play | undefined => {
    const own = plays.find(({ id }) => workflowId === sessionWorkflowId(id))
    if (own !== undefined && activity === "prepareDelegation")
      spawned.set(own.id, [...(spawned.get(own.id) ?? []), args])
    const child = sessionIdOf(workflowId)
    if (own !== undefined || child === undefined) return own
    return plays.find(({ id }) => spawned.get(id)?.some((written) => written.includes(child)) === true)
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const expectOnce = async ({ receiver, asked, countPaid }: Stage, plays: readonly Play[]): Promise<void> => {
  expect([...asked].filter(([, times]) => times !== 1)).toEqual([])
  expect(countPaid()).toBe(sum(plays.map(({ kind }) => paymentsOf[kind])))
  const ids = plays.map(({ id }) => id)
  const told = () => receiver.effects.map(({ body }) => String(body.session?.id)).filter((id) => ids.includes(id))
  await eventually(() => ids.every((id) => told().includes(id)), patience)
  expect(told().toSorted()).toEqual(ids.toSorted())
}

/** A store call of an activity, in a session of a kind. */
interface Boundary {
  readonly activity: string
  readonly method: string
  readonly kind: Kind
}

/** Plays one session of each kind while nothing fails. Returns each store call of each activity, with the first kind that makes it. */
const findBoundaries = async (): Promise<readonly Boundary[]> => {
  const plays = [newPlay("PAYING"), newPlay("PARENT")]
  const found = new Map<string, Boundary>()
  const ownerOf = createOwners(plays)
  const stage = await openStage((call) => {
    const { activity, method } = call
    const kind = activity === "deliver" ? "PAYING" : ownerOf(call)?.kind
    const key = `${activity} ${method}`
    if (kind !== undefined && !found.has(key)) found.set(key, { activity, method, kind })
    return undefined
  })
  await Promise.all(plays.map((play) => start(stage, play)))
  expect(await playToTheEnd(stage, plays)).toEqual(plays.map(() => "completed"))
  await expectOnce(stage, plays)
  await stage.harness.close()
  opened = undefined
  return [...found.values()]
}

/** More failures than a record has tries in its workflow task. */
const timesInARow = 3
const atOnce = 12

describe("a store that is away", () => {
  it.each(["before", "after"] as const)(
    "at any one call of any activity, and the call fails %s it takes effect: no run fails, and each step is paid for once",
    async (failure) => {
      const boundaries = await findBoundaries()
      expect(played.filter((name) => !boundaries.some(({ activity }) => activity === name))).toEqual([])
      const plays = boundaries.map(({ kind }) => newPlay(kind))
      const failures = boundaries.map(() => 0)
      /** Which of the boundaries is that of a delivery: they are dealt out in the order of their first calls. */
      const deliveries = new Map<string, number>()
      const toDeliver = boundaries.flatMap(({ activity }, index) => (activity === "deliver" ? [index] : []))
      const ownerOf = createOwners(plays)
      const boundaryOf = (call: StoreCall): number => {
        const owner = ownerOf(call)
        const { activity, workflowId } = call
        if (activity !== "deliver") return owner === undefined ? -1 : plays.indexOf(owner)
        const index = deliveries.get(workflowId) ?? toDeliver.shift() ?? -1
        deliveries.set(workflowId, index)
        return index
      }
      const stage = await openStage((call) => {
        const index = boundaryOf(call)
        const boundary = boundaries[index]
        if (boundary?.activity !== call.activity || boundary.method !== call.method) return undefined
        const failed = failures[index] ?? 0
        if (failed === timesInARow) return undefined
        failures[index] = failed + 1
        return failure
      })
      for (let first = 0; first < plays.length; first += atOnce) {
        const batch = plays.slice(first, first + atOnce)
        await Promise.all(batch.map((play) => start(stage, play)))
        const statuses = await playToTheEnd(stage, batch)
        const failed = await Promise.all(
          batch.map(async (play, index) => {
            const { activity, method } = boundaries[plays.indexOf(play)] ?? {}
            const document = statuses[index] === "completed" ? undefined : await stage.harness.client.wait(play.id)
            return document === undefined ? [] : [{ activity, method, document }]
          }),
        )
        expect(failed.flat()).toEqual([])
      }
      await expectOnce(stage, plays)
      expect(boundaries.filter((_, index) => failures[index] === 0)).toEqual([])
    },
  )

  it("for long during any one activity: its session waits, others run to their end, and it continues", async () => {
    const boundaries = played.map((activity) => ({ activity, play: newPlay(kindOf(activity)) }))
    const plays = boundaries.map(({ play }) => play)
    let isAway = true
    let heldDelivery: string | undefined
    const failures = new Map(played.map((activity) => [activity, 0]))
    const ownerOf = createOwners(plays)
    const stage = await openStage((call) => {
      const owner = ownerOf(call)
      const { activity, workflowId } = call
      if (!isAway) return undefined
      // The only session that ends meanwhile is the one whose delivery has to wait, or whose previews are left out.
      if (activity === "deliver") heldDelivery ??= workflowId
      const held = boundaries.find(({ play }) => play === owner)?.activity
      if (activity !== held && workflowId !== heldDelivery) return undefined
      failures.set(activity, (failures.get(activity) ?? 0) + 1)
      return "before"
    })
    await Promise.all(plays.map((play) => start(stage, play)))
    await eventually(async () => {
      await decideEach(stage)
      return [...failures].every(([activity, count]) => count >= leastFailures(activity))
    }, patience).catch((error: unknown) => {
      throw new Error(`failures until now: ${JSON.stringify([...failures])}`, { cause: error })
    })
    const bystander = await stage.harness.start({ prompt: "BYSTANDER" })
    expect(await stage.harness.client.wait(bystander)).toMatchObject({ outcome: "completed" })
    const waiting = boundaries.filter(({ activity }) => behaviours[activity as keyof Activities] === "waits")
    const statuses = await Promise.all(waiting.map(({ play }) => statusOf(stage, play.id)))
    expect(waiting.filter((_, index) => isFinal(statuses[index] ?? "pending"))).toEqual([])
    isAway = false
    expect(await playToTheEnd(stage, plays)).toEqual(plays.map(() => "completed"))
    await expectOnce(stage, plays)
  })
})

const ofParents = ["acquireSlot", "prepareDelegation", "answerDelegation", "showWaiting", "settleChild"]
const kindOf = (activity: string): Kind => (ofParents.includes(activity) ? "PARENT" : "PAYING")
/** So many that the waits have doubled several times; previews are tried three times. */
const leastFailures = (activity: string): number => (behaviours[activity as keyof Activities] === "waits" ? 6 : 3)
