import { createHash } from "node:crypto"
import { type AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { ErrorCode } from "../../contracts/error-code.ts"
import type { Store } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"

interface Asked {
  readonly sessionId: string
  readonly action: string
  readonly actor: Actor
  /** What was asked for, without a person's text. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** Why a decision or an answer is refused: it came without the right, too late, or against an earlier decision. Mistyped requests are not recorded. */
const audited: ReadonlySet<ErrorCode> = new Set([
  "forbidden",
  "already_decided",
  "checkpoint_stale",
  "call_not_found",
  "run_mismatch",
  "session_not_paused",
  "session_not_running",
])

const refusalKey = ({ sessionId, action, actor, detail }: Asked, { code }: AdjutantError): string => {
  const content = JSON.stringify([sessionId, action, actor.by, actor.via, detail, code])
  return `refused:${createHash("sha256").update(content).digest("hex").slice(0, 40)}`
}

/** Asks, and records a refusal in the audit log: once, however often the same is asked. */
export const withRefusalAudited = async <T>(
  store: Pick<Store, "audit">,
  asked: Asked,
  ask: () => Promise<T>,
): Promise<T> => {
  try {
    return await ask()
  } catch (error) {
    if (isAdjutantError(error) && audited.has(error.code))
      await store.audit.record({
        ...{ key: refusalKey(asked, error), sessionId: asked.sessionId, runId: null, action: asked.action },
        ...auditedActor(asked.actor),
        detail: { ...asked.detail, code: error.code },
      })
    throw error
  }
}
