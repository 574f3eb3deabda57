import type { SessionsSpawnInput } from "../../contracts/delegation/sessions-input.ts"
import type { TaskInput } from "../../contracts/delegation/task-input.ts"
import type { DynamicSubagentTaskInput, RunCommandTaskInput } from "../../contracts/delegation/tasks-input.ts"
import type { StartedChild } from "../../domain/delegation/spawn-result.ts"
import type { SpawnRefusal } from "../../domain/delegation/spawn-refusals.ts"
import type { Actor } from "../actor.ts"

/** The delegation tools that start a session, with their checked arguments. */
export type SpawnCall =
  /** `asSent`: the arguments before they were parsed, which the answer quotes. */
  | { readonly tool: "Task"; readonly input: TaskInput; readonly asSent?: unknown }
  | { readonly tool: "dynamic_subagent_task"; readonly input: DynamicSubagentTaskInput }
  | { readonly tool: "run_command_task"; readonly input: RunCommandTaskInput }
  | { readonly tool: "sessions_spawn"; readonly input: SessionsSpawnInput }

export interface SpawnRequest {
  readonly call: SpawnCall
  /** The caller to whom the session belongs, and whose sessions count together against `maxChildrenPerAgent`. */
  readonly caller: string
  /** Id of the session; default: one that is free. */
  readonly sessionId?: string
  /** Finds what the same call has started before, if its answer was lost. */
  readonly repetition?: { readonly key: string; readonly isRepeated: boolean }
  /** A person at a terminal, to whom the limits for sub-agents do not apply. */
  readonly isPerson?: boolean
  /** Absolute working directory. */
  readonly cwd: string
  readonly actor: Actor
}

export type SpawnOutcome =
  | ({ readonly kind: "started" } & StartedChild)
  | { readonly kind: "refused"; readonly refusal: SpawnRefusal }
