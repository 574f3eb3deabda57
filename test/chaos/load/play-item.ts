import { setTimeout as delay } from "node:timers/promises"
import type { Random } from "../random.ts"
import { instructionOf, type ItemKind } from "../world/chaos-model.ts"
import type { ApiAnswer, PatientApi } from "./patient-api.ts"

/** What the load knows of one session: what it asked for and what was answered. */
export interface PlayedItem {
  readonly id: string
  readonly kind: ItemKind
  readonly sessionId: string
  /** Texts that were accepted as messages of the session's user. */
  readonly messages: readonly string[]
  /** What was decided about its call, where a decision was accepted. */
  readonly decision: "accept" | "reject" | undefined
  /** The calls that it was about. */
  readonly decidedCalls: readonly string[]
  readonly isCancelled: boolean
  /** The last state that the API showed. */
  readonly status: string
}

export const finalStatuses: readonly string[] = ["completed", "failed", "cancelled", "timed_out"]

const pollMs = 300

const expectStatus = (answer: ApiAnswer, wanted: readonly number[], what: string): ApiAnswer => {
  if (wanted.includes(answer.status)) return answer
  throw new Error(`${what} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** Where items are played. */
export interface Stage {
  readonly api: PatientApi
  readonly random: Random
  /** The working directory of all sessions. */
  readonly cwd: string
}

interface Playing extends Pick<Stage, "api" | "random"> {
  readonly id: string
  readonly kind: ItemKind
  readonly sessionId: string
}

const statusOf = async ({ api, sessionId }: Playing): Promise<string> => {
  const { body } = expectStatus(await api.get(`/v1/sessions/${sessionId}`), [200], "a session")
  return String(body["status"])
}

/** Decides the pending calls; returns none when they were decided or the pause ended meanwhile. */
const decide = async (playing: Playing, action: "accept" | "reject"): Promise<readonly string[]> => {
  const { api, sessionId } = playing
  const { status, body } = await api.get(`/v1/sessions/${sessionId}/tools/pending`)
  const pending = body["pending"]
  if (status !== 200 || !Array.isArray(pending) || pending.length === 0) return []
  const decisions = Object.fromEntries(pending.map(({ id }: { id: string }) => [id, { action }]))
  const { run_id, checkpoint_id } = body
  const answer = await api.post(`/v1/sessions/${sessionId}/tools/decisions`, { run_id, checkpoint_id, decisions })
  return expectStatus(answer, [200, 202, 409], "a decision").status < 300 ? Object.keys(decisions) : []
}

/** Follows the session to its end; decides, steers and cancels on the way as its kind says. */
const follow = async (
  playing: Playing,
): Promise<Pick<PlayedItem, "decision" | "decidedCalls" | "isCancelled" | "status"> & { steered: string[] }> => {
  const { api, random, id, kind, sessionId } = playing
  const wanted = random.chance(0.7) ? "accept" : "reject"
  const cancelAt = performance.now() + random.between(1_000, 8_000)
  let decision: PlayedItem["decision"]
  let decidedCalls: PlayedItem["decidedCalls"] = []
  let isCancelled = false
  const steered: string[] = []
  for (;;) {
    const status = await statusOf(playing)
    if (finalStatuses.includes(status)) return { decision, decidedCalls, isCancelled, status, steered }
    if (status === "paused" && decision === undefined) {
      decidedCalls = await decide(playing, wanted)
      if (decidedCalls.length > 0) decision = wanted
    }
    if (kind === "steer" && steered.length === 0 && status === "running") {
      const message = `Steer ${id}.`
      const answer = await api.post(`/v1/sessions/${sessionId}/messages`, { message, type: "steering" })
      // 409: the run ended before the message arrived.
      if (expectStatus(answer, [202, 409], "a steering message").status === 202) steered.push(message)
    }
    if (kind === "cancel" && !isCancelled && performance.now() >= cancelAt) {
      expectStatus(await api.post(`/v1/sessions/${sessionId}/cancel`, {}), [200, 202], "a cancel")
      isCancelled = true
    }
    await delay(pollMs)
  }
}

/** Starts a session, gives it its instruction and follows it to its end. */
export const playItem = async (
  { api, random, cwd }: Stage,
  { id, kind }: Pick<PlayedItem, "id" | "kind">,
): Promise<PlayedItem> => {
  const created = expectStatus(await api.post("/v1/sessions", { title: id, cwd }), [201], "a new session")
  const sessionId = String(created.body["id"])
  const message = instructionOf(id, kind)
  const body = { message, ...(kind === "ledger" ? {} : { auto_approve: true }) }
  expectStatus(await api.post(`/v1/sessions/${sessionId}/messages`, body), [202], "an instruction")
  const { steered, ...end } = await follow({ api, random, id, kind, sessionId })
  return { id, kind, sessionId, messages: [message, ...steered], ...end }
}
