import { isAdjutantError } from "../../../contracts/adjutant-error.ts"
import { isFinal } from "../../../domain/run/is-final.ts"
import { eventually } from "../../helpers/eventually.ts"
import type { KindName, Play } from "./boundary-kinds.ts"
import { patience, type Stage } from "./boundary-stage.ts"

const actor = { by: "ana", via: "cli" }

/** A parent is shown as paused while it can do nothing but wait for its paused child; that takes effect before the child continues. */
const isParentShown = async ({ harness }: Stage, sessionId: string): Promise<boolean> => {
  const parentId = (await harness.store.sessions.get(sessionId))?.parentId ?? null
  return parentId === null || (await harness.store.sessions.get(parentId))?.status === "paused"
}

/** Sends the decisions on two calls as someone with access to Temporal alone does: one in the form of a program, one typed. */
const typeDecisions = async ({ harness }: Stage, sessionId: string, ids: readonly string[]): Promise<void> => {
  const session = harness.handle(sessionId)
  const [first = "", ...others] = ids
  const decisions = { [first]: { action: "accept" } }
  await session.signal("decide", { decision_id: `typed-${first}`, decisions, unlisted: "pending" })
  if (others.length > 0) await session.signal("approve", others)
}

const decisionOf = (kind: KindName | undefined, id: string) => {
  if (kind === "ANSWERED") return { action: "custom_result" as const, content: "done by hand" }
  return id.endsWith("1") ? { action: "accept" as const } : { action: "edit" as const, arguments: { amount: 2 } }
}

/** Decides the calls that are shown as pending, each once: the first of a turn as it is, the second with other arguments. */
const decideEach = async (stage: Stage): Promise<void> => {
  const { harness, decided, plays } = stage
  const { items } = await harness.client.approvals()
  for (const { session_id: sessionId, pending } of items) {
    const kind = plays.find((play) => play.id === sessionId)?.kind
    // A signal that is typed a moment too early is ignored: who sent it looks, and sends it again.
    const isDecided = (id: string): boolean => kind !== "TYPED" && decided.has(`${sessionId} ${id}`)
    const ids = pending.map(({ id }) => id).filter((id) => !isDecided(id))
    if (ids.length === 0 || !(await isParentShown(stage, sessionId))) continue
    try {
      if (kind === "TYPED") await typeDecisions(stage, sessionId, ids)
      else
        for (const id of ids)
          await harness.client.decide({
            ...{ sessionId, unlisted: "pending", actor },
            decisions: { [id]: decisionOf(kind, id) },
          })
      for (const id of ids) decided.add(`${sessionId} ${id}`)
    } catch (error) {
      // A busy engine: the next round sends it again.
      if (!isAdjutantError(error) || error.code !== "temporal_unavailable") throw error
    }
  }
}

/** Lets the provider answer the sessions that show that they wait for it. */
const answerAgain = async ({ harness, waitsFor }: Stage): Promise<void> => {
  for (const [id, what] of waitsFor) {
    if (what === "nothing") continue
    const [blocked] = (await harness.client.info(id)).blocked_by
    if (blocked?.type === "provider_unavailable") waitsFor.set(id, "nothing")
  }
}

export const statusOf = async ({ harness }: Stage, id: string) =>
  (await harness.store.sessions.get(id))?.status ?? "pending"

const helpersOf = async ({ harness }: Stage, { id, kind }: Play): Promise<readonly string[]> => {
  if (kind !== "CHAT") return []
  const { items } = await harness.store.sessions.list({ parentId: id, limit: 10 })
  const bindings = await Promise.all(items.map((row) => harness.store.bindings.ofSession(row.id)))
  return bindings.flatMap((binding) => (binding === undefined ? [] : [binding.sessionId]))
}

/** Cancels, in Temporal alone, the helpers whose chats have ended: they release their threads. */
const closeThreads = async (stage: Stage, mayClose: (play: Play) => boolean): Promise<void> => {
  const { plays, harness, decided } = stage
  for (const play of plays) {
    if (play.kind !== "CHAT" || !mayClose(play) || !isFinal(await statusOf(stage, play.id))) continue
    for (const id of await helpersOf(stage, play)) {
      if (decided.has(id)) continue
      decided.add(id)
      await harness.handle(id).cancel()
    }
  }
}

/** Acts once, as people do, in all sessions that wait for them. `mayClose`: whether the thread of an ended chat can be closed. */
export const actOnce = async (stage: Stage, mayClose: (play: Play) => boolean = () => true): Promise<void> => {
  await decideEach(stage)
  await answerAgain(stage)
  await closeThreads(stage, mayClose)
}

const isOver = async (stage: Stage, play: Play): Promise<boolean> =>
  isFinal(await statusOf(stage, play.id)) && (await helpersOf(stage, play)).length === 0

/** Returns what the sessions that are not over do, for the error of a test. */
const describeOpen = async (stage: Stage, plays: readonly Play[]): Promise<string> => {
  const open = await Promise.all(
    plays.map(async (play) => {
      if (await isOver(stage, play)) return []
      const { status, blockedBy, stopReason } = (await stage.harness.store.sessions.get(play.id)) ?? {}
      return [{ kind: play.kind, status, blockedBy, stopReason, helpers: await helpersOf(stage, play) }]
    }),
  )
  return JSON.stringify(open.flat())
}

/** Acts as people do until the sessions have ended. Returns their statuses. */
export const playToTheEnd = async (
  stage: Stage,
  plays: readonly Play[],
  mayClose?: (play: Play) => boolean,
): Promise<readonly string[]> => {
  await eventually(async () => {
    await actOnce(stage, mayClose)
    return (await Promise.all(plays.map((play) => isOver(stage, play)))).every(Boolean)
  }, patience).catch(async (error: unknown) => {
    throw new Error(`these sessions did not end: ${await describeOpen(stage, plays)}`, { cause: error })
  })
  return Promise.all(plays.map(({ id }) => statusOf(stage, id)))
}
