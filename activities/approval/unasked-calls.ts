import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { dispositionOf, sandboxModeOf, startsProcesses } from "../../domain/approval/disposition.ts"
import { isAskedByFloor, refusedByFloor } from "../../domain/approval/worker-floor.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { callDisposition } from "../tools/call-disposition.ts"
import { hasStarted } from "../tools/call-question.ts"

type Deps = Pick<AgentDependencies, "sandboxFor" | "floor">

/** Whether anybody was asked about a call before it runs on this worker. */
type Asked = Pick<RunToolInput, "isUnasked" | "grantId">

/** A call that runs on this worker, and whose tool is `name`. `snapshot`: at least as strict as the worker. */
interface Call {
  readonly snapshot: RunSnapshot
  readonly name: string
}

/**
 * Returns why a command cannot run unasked: nobody was asked about it, only because the worker that looked at it had a sandbox, and this one has none.
 * Undefined if it can.
 */
export const confinementLost = async (
  { sandboxFor }: Pick<Deps, "sandboxFor">,
  { isUnasked }: Asked,
  { snapshot, name }: Call,
): Promise<string | undefined> => {
  if (isUnasked !== true || !startsProcesses(name)) return undefined
  if (dispositionOf({ name, readOnly: false }, snapshot, false) !== "prompt") return undefined
  const { confined } = await sandboxFor(sandboxModeOf(name, snapshot))
  return confined ? undefined : "it would have run in a sandbox without a question, and there is none now"
}

/**
 * Returns why a call cannot run unasked: the worker that looked at it does not ask about its tool, and this one does. A grant of a person counts as an
 * answer. Undefined if it can.
 */
const askedByWorker = async (
  deps: Deps,
  { isUnasked, grantId }: Asked,
  { snapshot, name }: Call,
): Promise<string | undefined> => {
  if (isUnasked !== true || grantId !== undefined || !isAskedByFloor(name, deps.floor)) return undefined
  return (await callDisposition(deps, snapshot, { name, readOnly: false })) === "prompt"
    ? `the configuration of the worker that runs it asks about ${name} (tools.policy), and nobody was asked`
    : undefined
}

/** Returns why a call that is about to start has to be asked about first; undefined for one that an earlier attempt has started. */
export const mustBeAsked = async (
  deps: Deps & Pick<AgentDependencies, "store">,
  input: RunToolInput,
  call: Call,
): Promise<string | undefined> => {
  const why = (await confinementLost(deps, input, call)) ?? (await askedByWorker(deps, input, call))
  if (why === undefined) return undefined
  return (await hasStarted(deps.store, input)) ? undefined : why
}

/**
 * Returns why this worker does not make a call that cannot be asked about again: it never allows it, or asks about it, and nobody was asked. One that an
 * earlier attempt has started (`hasBegun`) is not asked about again.
 */
export const refusedHere = async (
  deps: Deps,
  { hasBegun = false, ...asked }: Asked & { readonly hasBegun?: boolean },
  call: Call,
): Promise<string | undefined> => {
  const refused = refusedByFloor(call.name, call.snapshot, deps.floor)
  if (refused !== undefined)
    return hasBegun ? `${refused}; another worker had started it, so it may have taken effect` : refused
  if (hasBegun) return undefined
  const why = await askedByWorker(deps, asked, call)
  return why === undefined ? undefined : `${call.name} was not started: ${why}`
}
