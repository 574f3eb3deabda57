import type { AssistantMessage, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { CallFacts } from "../../domain/approval/gate.ts"
import { coversCall, pathArgument } from "../../domain/approval/grant-terms.ts"
import type { ProposedCall } from "../../domain/run/tool-batch.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"
import type { GrantRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput, RunToolInput } from "../contract/agent-activities.ts"
import { auditedArguments } from "./audited-arguments.ts"

type Deps = Pick<AgentDependencies, "store" | "pathInside">

interface JudgedCall {
  readonly snapshot: RunSnapshot
  readonly call: ToolCall
}

interface Covering {
  readonly grants: readonly GrantRow[]
  /** Where the call's path leads, relative to the working directory. */
  readonly path?: string | undefined
}

/** Returns the active grants of a session that cover a call, with its paths as they are now. */
const coveringGrants = async (
  { store, pathInside }: Deps,
  sessionId: string,
  { snapshot, call }: JudgedCall,
): Promise<Covering> => {
  const active = (await store.grants.listActive(sessionId)).filter(({ tool }) => tool === call.name)
  if (active.length === 0 || call.arguments === null) return { grants: [] }
  const name = pathArgument(call.name)
  const path = name === undefined ? undefined : call.arguments[name]
  const realPath = typeof path === "string" ? await pathInside(snapshot, path) : undefined
  const judged = { tool: call.name, arguments: call.arguments, realPath }
  return { grants: active.filter((grant) => coversCall(grant, judged)), path: realPath }
}

/** Returns the id of the oldest grant of the session that covers a call. */
export const findGrant = async (
  deps: Deps,
  { sessionId }: Pick<CallModelInput, "sessionId">,
  judged: JudgedCall,
): Promise<string | undefined> => (await coveringGrants(deps, sessionId, judged)).grants[0]?.id

/**
 * Returns whether the grant by which a call was proposed to run still covers it, and where its path leads now; nothing for a call without one. A call that
 * has asked a question was started with it.
 */
export const grantNow = async (
  deps: Deps,
  { grantId: id, sessionId, answer }: Pick<RunToolInput, "grantId" | "sessionId" | "answer">,
  { snapshot, call }: Pick<JudgedCall, "snapshot"> & Partial<Pick<JudgedCall, "call">>,
): Promise<{ readonly grant?: CallFacts["grant"]; readonly path?: string | undefined }> => {
  if (id === undefined) return {}
  if (answer !== undefined) return { grant: { id, covers: true } }
  if (call === undefined) return { grant: { id, covers: false } }
  const { grants, path } = await coveringGrants(deps, sessionId, { snapshot, call })
  return { grant: { id, covers: grants.some((grant) => grant.id === id) }, path }
}

/** Records each call that runs by a grant. A repetition changes nothing. */
export const auditGranted = async (
  { store, redact }: Pick<AgentDependencies, "store" | "redact">,
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
