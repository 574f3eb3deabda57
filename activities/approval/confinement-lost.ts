import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { dispositionOf, sandboxModeOf, startsProcesses } from "../../domain/approval/disposition.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { RunToolInput } from "../contract/agent-activities.ts"
import { hasStarted } from "../tools/call-question.ts"

/** A command that runs on this worker, and whose tool is `name`. */
interface Command {
  readonly snapshot: RunSnapshot
  readonly name: string
}

/**
 * Returns why a command cannot run unasked: nobody was asked about it, only because the worker that looked at it had a sandbox, and this one has none.
 * Undefined if it can.
 */
export const confinementLost = async (
  { sandboxFor }: Pick<AgentDependencies, "sandboxFor">,
  { isUnasked }: Pick<RunToolInput, "isUnasked">,
  { snapshot, name }: Command,
): Promise<string | undefined> => {
  if (isUnasked !== true || !startsProcesses(name)) return undefined
  if (dispositionOf({ name, readOnly: false }, snapshot, false) !== "prompt") return undefined
  const { confined } = await sandboxFor(sandboxModeOf(name, snapshot))
  return confined ? undefined : "it would have run in a sandbox without a question, and there is none now"
}

/** Returns the same for a call that is about to start; undefined for one that an earlier attempt has started. */
export const confinementLostBefore = async (
  deps: Pick<AgentDependencies, "store" | "sandboxFor">,
  input: RunToolInput,
  command: Command,
): Promise<string | undefined> => {
  const lost = await confinementLost(deps, input, command)
  if (lost === undefined) return undefined
  return (await hasStarted(deps.store, input)) ? undefined : lost
}
