import type { AssistantMessage, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { sandboxModeOf, startsProcesses } from "../../domain/approval/disposition.ts"
import { coversCall, pathArgument } from "../../domain/approval/grant-terms.ts"
import type { ProposedCall } from "../../domain/run/tool-batch.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"
import type { GrantRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput, RunToolInput } from "../contract/agent-activities.ts"
import { auditedArguments } from "./audited-arguments.ts"
import { hasStarted } from "../tools/call-question.ts"

type Deps = Pick<AgentDependencies, "store" | "pathInside" | "sandboxFor" | "redact">

interface JudgedCall {
  readonly snapshot: RunSnapshot
  readonly call: ToolCall
}

/** Returns the active grants of a session that cover a call, with its paths as they are now. */
const coveringGrants = async (
  { store, pathInside }: Deps,
  sessionId: string,
  { snapshot, call }: JudgedCall,
): Promise<readonly GrantRow[]> => {
  const active = (await store.grants.listActive(sessionId)).filter(({ tool }) => tool === call.name)
  if (active.length === 0 || call.arguments === null) return []
  const name = pathArgument(call.name)
  const path = name === undefined ? undefined : call.arguments[name]
  const realPath = typeof path === "string" ? await pathInside(snapshot, path) : undefined
  const judged = { tool: call.name, arguments: call.arguments, realPath }
  return active.filter((grant) => coversCall(grant, judged))
}

/** Returns the id of the oldest grant of the session that covers a call. */
export const findGrant = async (
  deps: Deps,
  { sessionId }: Pick<CallModelInput, "sessionId">,
  judged: JudgedCall,
): Promise<string | undefined> => (await coveringGrants(deps, sessionId, judged))[0]?.id

/** Records each call that runs by a grant. A repetition changes nothing. */
export const auditGranted = async (
  { store, redact }: Deps,
  { sessionId, runId, assistantSeq }: CallModelInput,
  { message, calls }: { readonly message: AssistantMessage; readonly calls: readonly ProposedCall[] },
): Promise<void> => {
  const granted = calls.filter(({ grantId }) => grantId !== undefined)
  if (granted.length === 0) return
  const grants = await store.grants.list(sessionId)
  for (const { id, name, grantId } of granted) {
    const args = findToolCall(message, id)?.arguments ?? {}
    await store.audit.record({
      ...{ sessionId, runId, action: "grant-use", via: "grant" },
      by: grants.find((grant) => grant.id === grantId)?.createdBy ?? "adjutant",
      detail: {
        ...{ grant_id: grantId, call_id: id, tool: name },
        arguments: auditedArguments(args, redact),
      },
      key: `grant:${runId}:${assistantSeq}:${id}`,
    })
  }
}

/**
 * Returns why a call cannot run by its grant any more, so that a person is asked; undefined if it can, or needs no grant. A call that an earlier attempt
 * has started is not looked at.
 */
export const grantLost = async (
  deps: Deps,
  input: RunToolInput,
  { snapshot, call }: JudgedCall,
): Promise<string | undefined> => {
  const { grantId, sessionId } = input
  if (grantId === undefined || input.answer !== undefined) return undefined
  if (await hasStarted(deps.store, input)) return undefined
  if (startsProcesses(call.name) && !(await deps.sandboxFor(sandboxModeOf(call.name, snapshot))).confined)
    return "a grant does not cover commands outside a sandbox, and no sandbox works now"
  const covering = await coveringGrants(deps, sessionId, { snapshot, call })
  return covering.some(({ id }) => id === grantId)
    ? undefined
    : `${grantId} no longer covers this call: it was revoked or has expired, or the path leads elsewhere now`
}
