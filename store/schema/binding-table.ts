import type { DeliveryPolicy } from "../../domain/delivery/delivery-policy.ts"
import { describeTable, type NewOf, type PatchOf, type RowOf } from "../columns/describe-table.ts"
import { flag, json, number, text, time } from "../columns/kinds.ts"

/** How answers are sent to a thread, as its channel was configured at its last message, or when it was bound. */
export interface Outbound {
  readonly url: string
  readonly secretEnv: string
  readonly policy: DeliveryPolicy
  /** Sub-agents of the bound session may get their own threads in this channel. */
  readonly spawnSubagentSessions: boolean
}

export const bindingTable = describeTable({
  sessionId: { ...text, create: "required", isJoined: true },
  /** Whether the session, or a sub-agent of it, has an open run. */
  hasOpenRun: { ...flag, isJoined: true },
  sessionNum: { ...number, isHidden: true },
  channel: { ...text, create: "required" },
  threadKey: { ...text, create: "required" },
  outbound: { ...json<Outbound>(), create: "required", isPatched: true },
  boundAt: time,
  /** When a message was last sent or received. */
  activeAt: time,
  /** 0: it never expires for this reason. */
  idleMs: { ...number, create: "required", isPatched: true },
  maxAgeMs: { ...number, create: "required", isPatched: true },
})

/** A thread of a channel and the session that answers in it. A thread has one session, and a session one thread. */
export type BindingRow = RowOf<typeof bindingTable>
export type NewBinding = NewOf<typeof bindingTable>
export type BindingPatch = PatchOf<typeof bindingTable>
