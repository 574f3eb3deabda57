import type { RunOptions } from "../contracts/run/run-options.ts"
import type { NotifyOn } from "../contracts/config/notify.ts"
import type { Actor } from "./actor.ts"

/** How a sub-agent differs from a session that a person or a program starts; its tool sets the rest. */
export interface SubagentRequest {
  /** Uses the lighter model if `subagents.downgrade` is set: the tasks family. */
  readonly mayDowngrade?: boolean
  /** `Task`: the system prompt is the role prompt and this description, and the sub-agent cannot delegate. */
  readonly taskDescription?: string
  /** The instruction is a command for a shell, which runs instead of a model, at most this long. */
  readonly command?: { readonly timeoutMs: number }
  /** `enable_sandbox` of `dynamic_subagent_task`; see `taskSandbox` of the snapshot. */
  readonly taskSandbox?: boolean
}

/** A request to start a run. Everything except `prompt` and `cwd` has a default from the profile and the configuration. */
export interface StartRequest extends RunOptions {
  readonly prompt: string
  readonly agent?: string
  readonly cwd: string
  readonly title?: string
  readonly label?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Preset session id, so that what the tree needs can be brought before the start. */
  readonly sessionId?: string
  /** Started by a delegation tool from outside a run: at depth 1, with the key of a sub-agent, without a parent. */
  readonly subagent?: SubagentRequest
  /** People talk with the agent in a thread of a channel. */
  readonly inThread?: boolean
  /** The session has a parent, although no agent started it. */
  readonly isChild?: boolean
  /** Destinations of messages about its runs, instead of those of the configuration. */
  readonly notifyOn?: Partial<NotifyOn>
  /** Who starts it; default: the user of this process. */
  readonly actor?: Actor
}

export interface Started {
  readonly sessionId: string
  readonly runId: string
}

/** A session without a run: its first message starts one. */
export interface CreateSessionRequest extends Pick<
  StartRequest,
  "agent" | "model" | "cwd" | "title" | "label" | "metadata"
> {
  /** The session becomes a child of this one, within its limits. */
  readonly parentId?: string
  /** Makes a repeated request one session. */
  readonly sessionId?: string
  /** The caller to whom a session without a parent belongs; a child belongs to the caller of its tree. */
  readonly caller?: string
  readonly actor: Actor
}

export interface ForkRequest {
  readonly sessionId: string
  /** Number of steps of the whole session that are copied; 0: only its settings. */
  readonly atStep: number
  /** Makes a repeated request one session. */
  readonly newSessionId?: string
  readonly actor: Actor
}
