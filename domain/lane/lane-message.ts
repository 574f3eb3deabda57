import { type Checked, failed, passed } from "../checked.ts"
import type { LanePlace, LaneQueue, LaneRequest } from "./lane-queue.ts"
import { isId } from "../text/is-id.ts"
import { isRecord } from "../text/is-record.ts"

/** Settings of the lane's workflow; the latest request's values apply. */
export interface LaneSettings {
  /** How often the holders are checked while sessions are queued. */
  readonly checkMs: number
  /** The lane ends after it has been empty for this long; the next request starts it again. */
  readonly idleMs: number
  /** Events of its history after which it continues as new; 0: when the engine suggests it. */
  readonly continueAsNewAfterEvents: number
  /** How many grants may be unconfirmed at the same time. */
  readonly maxSignals: number
}

export interface AcquireMessage extends LaneRequest, LaneSettings {}

/** Input of the `lane` workflow; `carried` is passed on by continue-as-new. */
export interface LaneInput {
  readonly carried?: {
    readonly queue: LaneQueue
    readonly settings: LaneSettings
    /** Holders that requested again and have no answer yet. */
    readonly unheard: readonly LanePlace[]
  }
}

/** What the lane sends to a session: its slot. */
export interface SlotOffer {
  readonly run_id: string
  readonly turn: number
}

/** Answer of the lane's `queue` query: the first thousand of each. */
export interface LaneAnswer {
  readonly capacity: number
  readonly holders: readonly string[]
  readonly queued: readonly { readonly workflow_id: string; readonly position: number; readonly resumes: boolean }[]
  readonly queued_total: number
}

export const laneSignalNames = { acquire: "acquire", release: "release" } as const

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0

export const checkPlace = (value: unknown): Checked<LanePlace> => {
  if (!isRecord(value)) return failed("expected an object")
  const { workflowId, runId, turn } = value
  return isId(workflowId) && isId(runId) && isCount(turn)
    ? passed({ workflowId, runId, turn })
    : failed("expected {workflowId, runId, turn}")
}

export const checkAcquire = (value: unknown): Checked<AcquireMessage> => {
  const place = checkPlace(value)
  if (!place.ok || !isRecord(value)) return place.ok ? failed("expected an object") : place
  const { resumes, capacity, ticket, checkMs, idleMs, continueAsNewAfterEvents, maxSignals } = value
  return typeof resumes === "boolean" &&
    isCount(capacity) &&
    isCount(checkMs) &&
    isCount(idleMs) &&
    isCount(continueAsNewAfterEvents) &&
    isCount(ticket) &&
    isCount(maxSignals)
    ? passed({ ...place.value, resumes, capacity, ticket, checkMs, idleMs, continueAsNewAfterEvents, maxSignals })
    : failed("expected {resumes, capacity, ticket, checkMs, idleMs, continueAsNewAfterEvents, maxSignals}")
}

export const checkSlotOffer = (value: unknown): Checked<SlotOffer> => {
  if (!isRecord(value)) return failed("expected an object")
  const { run_id, turn } = value
  return isId(run_id) && isCount(turn) ? passed({ run_id, turn }) : failed("expected {run_id, turn}")
}
