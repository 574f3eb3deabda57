import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { SessionRow } from "../../store/store.ts"
import type { Actor } from "../authority/actor.ts"
import type { SettingsRequest } from "../settings/settings-request.ts"
import type { Delivery } from "../../engine/send-update.ts"

export interface SendRequest {
  readonly sessionId: string
  readonly text: string
  /** `message` starts a run when idle, answers an input pause, else conflicts; `follow_up` also queues; `steering` needs a run. */
  readonly type: "message" | "follow_up" | "steering"
  readonly runId?: string
  readonly checkpointId?: string
  /** What the new run may use where one starts: at most what the session had. */
  readonly limits?: Omit<SettingsRequest, "agent" | "thinking" | "subagent" | "cwd">
  readonly hostQueue?: string
  /** Makes a repeated request one message: `msg_` and 20 characters `[a-z0-9]`. */
  readonly messageId?: string
  readonly delivery?: Delivery
  readonly actor: Actor
}

/** Steering starts no run. @throws AdjutantError `session_not_running` */
export const requireStarter = ({ id }: Pick<SessionRow, "id">, { type }: SendRequest): void => {
  if (type === "steering")
    throw new AdjutantError("session_not_running", `nothing runs in session ${id}: send it a message to start a run`)
}

/** `applied`: the workflow took it. `accepted`: stored durably, applied when a worker runs. */
export type Sent = { readonly state: "applied" | "accepted"; readonly runId: string }
