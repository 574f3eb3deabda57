import type { AssistantMessage, ToolCall } from "../../contracts/message.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { CallFacts } from "../../domain/approval/gate.ts"
import { coversCall, pathArgument } from "../../domain/approval/grant-terms.ts"
import { mayStillGrant } from "../../domain/caller/grant-holder.ts"
import type { Confinement } from "../../domain/approval/process-sandbox.ts"
import type { ProposedCall } from "../../domain/calls/tool-batch.ts"
import type { ToolListWarning } from "../../domain/tools/tool-list-change.ts"
import { findToolCall } from "../../domain/transcript/tool-calls.ts"
import type { GrantRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { CallModelInput, RunToolInput } from "../contract/agent-activities.ts"
import { auditedArguments } from "./audited-arguments.ts"
import { isForeignTool } from "./watched-tool.ts"

type Deps = Pick<AgentDependencies, "store" | "pathInside" | "mcp" | "workerPolicy">

interface JudgedCall {
  readonly snapshot: RunSnapshot
  readonly call: ToolCall
  /** What it would get beyond its sandbox. */
  readonly opens?: Confinement["opens"]
}

interface Covering {
  readonly grants: readonly GrantRow[]
  /** Where the call's path leads, relative to the working directory. */
  readonly path?: string | undefined
}

/** Returns whether the server of a tool describes it as it did when it was first used, or as a user has accepted it since. */
const isAsPinned = async (mcp: Deps["mcp"], snapshot: RunSnapshot, name: string): Promise<boolean> => {
  const { changed, down } = await mcp.tools(snapshot, [name])
  const isSame = ({ server, added, changed: others, removed }: ToolListWarning): boolean =>
    // A list that could not be compared has no differences.
    [...added, ...others, ...removed].length > 0 &&
    ![...added, ...others].some((tool) => `mcp__${server}__${tool}` === name)
  return down.length === 0 && changed.every(isSame)
}

/** Returns the active grants of a session that cover a call, with its paths as they are now. */
const coveringGrants = async (
  { store, pathInside, mcp, workerPolicy }: Deps,
  sessionId: string,
  { snapshot, call, opens }: JudgedCall,
): Promise<Covering> => {
  const active = (await store.grants.listActive(sessionId)).filter(
    (grant) => grant.tool === call.name && mayStillGrant(grant, workerPolicy, snapshot.agent),
  )
  if (active.length === 0 || call.arguments === null) return { grants: [] }
  if (isForeignTool(call.name) && !(await isAsPinned(mcp, snapshot, call.name))) return { grants: [] }
  const name = pathArgument(call.name)
  const path = name === undefined ? undefined : call.arguments[name]
  const realPath = typeof path === "string" ? await pathInside(snapshot, path) : undefined
  const judged = { tool: call.name, arguments: call.arguments, realPath, opens }
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
  { snapshot, call, opens }: Pick<JudgedCall, "snapshot" | "opens"> & Partial<Pick<JudgedCall, "call">>,
): Promise<{ readonly grant?: CallFacts["grant"]; readonly path?: string | undefined }> => {
  if (id === undefined) return {}
  if (answer !== undefined) return { grant: { id, covers: true } }
  if (call === undefined) return { grant: { id, covers: false } }
  const { grants, path } = await coveringGrants(deps, sessionId, { snapshot, call, opens })
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
