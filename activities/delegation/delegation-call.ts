import type { ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { findBelow } from "../../domain/delegation/find-below.ts"
import { descendantsOf } from "../../sessions/rows/session-tree.ts"
import type { SessionRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { DelegationDirective, PrepareDelegationInput } from "../contract/delegation-activities.ts"
import { envelopeText } from "../../domain/delegation/task/task-envelope.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import type { ToolSurface } from "../../domain/advice/surface.ts"
import { callHash } from "../approval/call-claim.ts"
import { hasToolFor, offeredDelegationNames } from "../../domain/tools/tool-names.ts"

/** The context of a delegation call. */
export interface DelegationCall {
  readonly deps: AgentDependencies
  readonly input: PrepareDelegationInput
  readonly call: ToolCall
  /** Why no call runs of the answer that proposed it; absent if that ended normally. */
  readonly endProblem?: string | undefined
  readonly snapshot: RunSnapshot
  readonly session: SessionRow
  /** Present if an attempt of an earlier version has begun the call. */
  readonly formerKey?: string
}

/** Returns the key of a call in earlier versions, which left out what is called. */
export const formerKeyOf = ({ input }: Pick<DelegationCall, "input">): string =>
  `${input.sessionId}/${input.runId}/${input.resultSeq}`

/** Returns a key that depends only on the call, so that a retry finds what it began, and another call that takes its place after a reset does not. */
export const delegationKey = ({
  input,
  call,
  formerKey,
}: Pick<DelegationCall, "input" | "call" | "formerKey">): string =>
  formerKey ?? `${formerKeyOf({ input })}/${callHash(call)}`

/** A result that is available at once, with the children whose results it reports. */
export interface ImmediateAnswer {
  readonly content: string
  readonly isError?: boolean
  /** Children whose result the model has now seen. */
  readonly reported?: readonly string[]
  /** Children whose result is no longer needed. */
  readonly silenced?: readonly string[]
}

/** Returns an answer as the result that a model reads: of `Task`, its envelope. */
export const immediate = (tool: string, answer: ToolAnswer): ImmediateAnswer => ({
  content: tool === "Task" ? envelopeText(answer) : answer.text,
  isError: answer.isError,
  reported: answer.reported ?? [],
  silenced: answer.silenced ?? [],
})

/** What the workflow has to do before the call has a result. */
export type DelegationLater = Exclude<DelegationDirective, { readonly kind: "settled" }>

export type DelegationOutcome = ImmediateAnswer | DelegationLater

export type DelegationHandler = (delegation: DelegationCall) => Promise<DelegationOutcome>

/** Returns the sessions below the calling one at any depth, oldest first, whichever of its runs started them. */
export const descendantRows = ({ deps, session }: DelegationCall): Promise<readonly SessionRow[]> =>
  descendantsOf(deps.store, session)

/**
 * Finds a child of the calling run by id, key, `#n` or label. A session of another tree is not found.
 * @throws AdjutantError `target_ambiguous`
 */
export const findChild = async (
  { deps, input, session }: DelegationCall,
  target: string,
): Promise<SessionRow | undefined> => {
  const rows = await Promise.all(
    input.children.map(async ({ id, ordinal }) => {
      const row = await deps.store.sessions.get(id)
      return row === undefined ? [] : [{ ...row, number: row.number ?? ordinal }]
    }),
  )
  return findBelow(rows.flat(), { parentId: session.id, target, nowMs: Date.now() })
}

/** Finds a session below the calling one: one of its children, or, by id, key or label, one further below. */
export const findDescendant = async (delegation: DelegationCall, target: string): Promise<SessionRow | undefined> => {
  const child = await findChild(delegation, target)
  if (child !== undefined) return child
  return findBelow(await descendantRows(delegation), { parentId: delegation.session.id, target, nowMs: Date.now() })
}

/** Returns what the calling agent can do: what advice to it may name. */
export const agentSurface = (snapshot: RunSnapshot, depth: number): ToolSurface => ({
  kind: "tool",
  tools: offeredDelegationNames(snapshot, depth).filter((name) => hasToolFor(snapshot, name)),
  isTold: true,
  mayApprove: true,
})
