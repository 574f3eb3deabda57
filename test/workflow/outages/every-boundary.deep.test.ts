import { afterEach, describe, expect, it } from "vitest"
import type { createActivities } from "../../../activities/index.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import { eventually } from "../../helpers/eventually.ts"
import type { Harness } from "../../helpers/engine/workflow-harness.ts"
import { type KindName, kindNames, type Play } from "./boundary-kinds.ts"
import { createOwners } from "./boundary-owners.ts"
import { actOnce, playToTheEnd, statusOf } from "./boundary-people.ts"
import { expectOnce, newPlay, openStage, patience, type Stage, type StageOptions, startPlay } from "./boundary-stage.ts"

type Activities = ReturnType<typeof createActivities>

/** `storeless`: it makes no call of the store, which the first pass checks. `elsewhere`: played in one of the other tests of boundaries. */
type Behaviour = "waits" | "continues" | "storeless" | "elsewhere"

/** What a session does while the store is away during an activity; the compiler refuses a table that lacks one. */
const behaviours: Readonly<Record<keyof Activities, Behaviour>> = {
  openRun: "waits",
  acquireSlot: "waits",
  openWorktree: "waits",
  runHooks: "waits",
  callModel: "waits",
  compact: "waits",
  previewCalls: "continues",
  openPause: "waits",
  checkEdits: "waits",
  recordDecisions: "waits",
  attributeDecision: "waits",
  attributeMessages: "waits",
  auditOperatorSignals: "waits",
  runTool: "waits",
  proposeCall: "waits",
  writeResult: "waits",
  prepareDelegation: "waits",
  answerDelegation: "waits",
  startOpenSession: "waits",
  showWaiting: "waits",
  showBlocked: "waits",
  settleChild: "waits",
  sayInThread: "waits",
  reportRun: "waits",
  reportToThread: "elsewhere",
  closeWorktree: "waits",
  closeRun: "waits",
  deliver: "continues",
  giveUpDelivery: "continues",
  // The run has ended; its thread waits.
  checkBinding: "continues",
  releaseBinding: "continues",
  showQueued: "elsewhere",
  requestStop: "elsewhere",
  releaseSlot: "storeless",
  findEndedHolders: "storeless",
  reachMachine: "storeless",
  stopBackground: "storeless",
  reconcileSessions: "elsewhere",
  startScheduled: "elsewhere",
  hasScheduledEnded: "elsewhere",
  cancelScheduled: "storeless",
}
const behaviourOf = (activity: string): Behaviour => behaviours[activity as keyof Activities]
const isPlayed = (behaviour: Behaviour): boolean => behaviour === "waits" || behaviour === "continues"
const played = Object.keys(behaviours).filter((name) => isPlayed(behaviourOf(name)))

let opened: Harness | undefined
afterEach(() => opened?.close())

const open = async (options: StageOptions): Promise<Stage> => {
  const stage = await openStage(options)
  opened = stage.harness
  return stage
}

/** A store call of an activity, in a session of a kind. */
interface Boundary {
  readonly activity: string
  readonly method: string
  readonly kind: KindName
}

/** All sessions share the writer of streamed events, which leaves out what it cannot write. */
const streaming = "events.lockFree"

/** Plays one session of each kind while nothing fails. Returns each store call of each activity, with the first kind that makes it. */
const findBoundaries = async (): Promise<readonly Boundary[]> => {
  const plays = kindNames.map(newPlay)
  const found = new Map<string, Boundary>()
  const ownerOf = createOwners(plays)
  const stage = await open({
    plays,
    decide: (call) => {
      const { activity, method } = call
      const kind = ownerOf(call)?.kind
      const key = `${activity} ${method}`
      const before = found.get(key)
      const isFirst =
        kind !== undefined && method !== streaming && (before === undefined || isEarlier(kind, before.kind))
      if (isFirst) found.set(key, { activity, method, kind })
      return undefined
    },
  })
  await Promise.all(plays.map((play) => startPlay(stage, play)))
  expect(await playToTheEnd(stage, plays)).toEqual(plays.map(() => "completed"))
  await expectOnce(stage)
  await stage.harness.close()
  opened = undefined
  return [...found.values()].toSorted((one, other) => kindNames.indexOf(one.kind) - kindNames.indexOf(other.kind))
}
const isEarlier = (kind: KindName, than: KindName): boolean => kindNames.indexOf(kind) < kindNames.indexOf(than)

let known: readonly Boundary[] | undefined
/** The tests have the first pass in common. */
const allBoundaries = async (): Promise<readonly Boundary[]> => (known ??= await findBoundaries())

/** More failures than a record has tries in its workflow task. */
const timesInARow = 3
const atOnce = 24

/** A session in which one store call of each of some activities fails. */
interface Trial {
  readonly play: Play
  /** How often each has failed. */
  readonly failures: Map<Boundary, number>
}

/** Deals the boundaries out so that a session has at most one of each activity: what fails in it is then known by the activity. */
const dealOut = (boundaries: readonly Boundary[]): readonly Trial[] => {
  const trials: Trial[] = []
  for (const boundary of boundaries) {
    const { kind, activity } = boundary
    const isFree = ({ play, failures }: Trial): boolean =>
      play.kind === kind && ![...failures.keys()].some((other) => other.activity === activity)
    const free = trials.find(isFree)
    free?.failures.set(boundary, 0)
    if (free === undefined) trials.push({ play: newPlay(kind), failures: new Map([[boundary, 0]]) })
  }
  return trials
}

const describeTrial = ({ failures }: Trial) =>
  [...failures].map(([{ activity, method }, times]) => `${activity} ${method}: ${times}`)

describe("a store that is away", () => {
  it("is asked by the activities that the table names, and by no others", async () => {
    const asking = [...new Set((await allBoundaries()).map(({ activity }) => activity))]
    expect(asking.toSorted()).toEqual(played.toSorted())
  })

  it.each(["before", "after"] as const)(
    "at any one call of any activity, and the call fails %s it takes effect: no run fails, and each step is paid for once",
    async (failure) => {
      const trials = dealOut(await allBoundaries())
      const plays = trials.map(({ play }) => play)
      const trialOf = (play: Play | undefined) => trials.find((trial) => trial.play === play)
      const ownerOf = createOwners(plays)
      const stage = await open({
        plays,
        decide: (call) => {
          const failures = trialOf(ownerOf(call))?.failures ?? new Map<Boundary, number>()
          const [boundary] = [...failures.keys()].filter(({ activity }) => activity === call.activity)
          const failed = boundary === undefined ? timesInARow : (failures.get(boundary) ?? 0)
          if (boundary?.method !== call.method || failed === timesInARow) return undefined
          failures.set(boundary, failed + 1)
          return failure
        },
      })
      /** The checks of its thread come while it is open. */
      const mayClose = (play: Play): boolean =>
        [...(trialOf(play)?.failures ?? [])].every(
          ([{ activity }, times]) => activity !== "checkBinding" || times === timesInARow,
        )
      for (let first = 0; first < plays.length; first += atOnce) {
        const batch = trials.slice(first, first + atOnce)
        const batchPlays = batch.map(({ play }) => play)
        await Promise.all(batchPlays.map((play) => startPlay(stage, play)))
        const statuses = await playToTheEnd(stage, batchPlays, mayClose).catch(async (error: unknown) => {
          const left = await Promise.all(
            batch.map(async (trial) => [
              await statusOf(stage, trial.play.id),
              trial.play.kind,
              ...describeTrial(trial),
            ]),
          )
          throw new Error(`until now: ${JSON.stringify(left)}`, { cause: error })
        })
        const failed = batch.filter((_, index) => statuses[index] !== "completed")
        expect(
          await Promise.all(
            failed.map(async (trial) => [...describeTrial(trial), await stage.harness.client.wait(trial.play.id)]),
          ),
        ).toEqual([])
      }
      await expectOnce(stage)
      const untouched = trials.flatMap(({ failures }) => [...failures].filter(([, times]) => times === 0))
      expect(untouched.map(([boundary]) => boundary)).toEqual([])
    },
  )

  it("for long during any one activity: its session waits, others run to their end, and it continues", async () => {
    const boundaries = await allBoundaries()
    const kindFor = (activity: string): KindName =>
      boundaries.find((boundary) => boundary.activity === activity)?.kind ?? "PAYING"
    const plays = played.map((activity) => newPlay(kindFor(activity)))
    const heldAt = (play: Play): string => played[plays.indexOf(play)] ?? ""
    let isAway = true
    const failures = new Map(played.map((activity) => [activity, 0]))
    const isHeldForLong = (activity: string): boolean => (failures.get(activity) ?? 0) >= leastFailures(activity)
    const ownerOf = createOwners(plays)
    const stage = await open({
      plays,
      decide: (call) => {
        const { activity } = call
        const owner = ownerOf(call)
        if (!isAway || owner === undefined || activity !== heldAt(owner)) return undefined
        failures.set(activity, (failures.get(activity) ?? 0) + 1)
        return "before"
      },
    })
    const mayClose = (play: Play): boolean => heldAt(play) === "releaseBinding" || isHeldForLong(heldAt(play))
    await Promise.all(plays.map((play) => startPlay(stage, play)))
    await eventually(async () => {
      await actOnce(stage, mayClose)
      return played.every(isHeldForLong)
    }, patience).catch((error: unknown) => {
      throw new Error(`failures until now: ${JSON.stringify([...failures])}`, { cause: error })
    })
    const bystander = await stage.harness.start({ prompt: "BYSTANDER" })
    expect(await stage.harness.client.wait(bystander)).toMatchObject({ outcome: "completed" })
    const waiting = plays.filter((play) => behaviourOf(heldAt(play)) === "waits")
    const statuses = await Promise.all(waiting.map(({ id }) => statusOf(stage, id)))
    expect(waiting.filter((_, index) => isFinal(statuses[index] ?? "pending")).map(heldAt)).toEqual([])
    isAway = false
    expect(await playToTheEnd(stage, plays)).toEqual(plays.map(() => "completed"))
    await expectOnce(stage)
  })
})

/** So many that the waits have doubled several times; previews are tried three times. */
const leastFailures = (activity: string): number => (behaviourOf(activity) === "waits" ? 6 : 3)
