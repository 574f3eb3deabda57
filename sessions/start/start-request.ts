import type { Thinking } from "../../contracts/model-provider.ts"
import type { Actor } from "../authority/actor.ts"

/** How a sub-agent differs from a session that a person or a program starts; its tool sets the rest. */
export interface SubagentRequest {
  /** Takes the lighter model where `subagents.downgrade` allows it: the tasks family. */
  readonly mayDowngrade?: boolean
  /** `Task`: the system prompt is the role prompt and this description, and the sub-agent delegates nothing. */
  readonly taskDescription?: string
}

/** What a run is asked to do. Everything but `prompt` has a default from profile and configuration. */
export interface StartRequest {
  readonly prompt: string
  readonly agent?: string
  readonly model?: string
  readonly thinking?: Thinking
  readonly tools?: readonly string[]
  readonly maxSteps?: number
  readonly timeoutSeconds?: number
  readonly budgetUsd?: number
  readonly budgetTokens?: number
  readonly sandbox?: boolean
  /** `policy`: policy decides what pauses; `all`: every allowed tool runs; a list: those run. */
  readonly approval?: "policy" | "all" | readonly string[]
  /** A text-only reply pauses for input. */
  readonly pauseOnText?: boolean
  readonly cwd: string
  readonly title?: string
  readonly label?: string
  readonly systemPrompt?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Activities of the tree are offered to this worker's own queue first (`adjutant run` brings that worker). */
  readonly hostQueue?: string
  /** Preset session id, so that a host queue can be named before the start. */
  readonly sessionId?: string
  /** Started by a delegation tool from outside any run: at depth 1, with the key of a sub-agent, under no parent. */
  readonly subagent?: SubagentRequest
  /** Who starts it; left out: the person whose process this is. */
  readonly actor?: Actor
}

export interface Started {
  readonly sessionId: string
  readonly runId: string
}

/** A session without a run: its first message starts one. */
export interface CreateSessionRequest extends Pick<StartRequest, "agent" | "model" | "cwd" | "title" | "metadata"> {
  /** The session becomes a child of this one, under its limits. */
  readonly parentId?: string
  /** Makes a repeated request one session. */
  readonly sessionId?: string
  readonly actor: Actor
}

export interface ForkRequest {
  readonly sessionId: string
  /** Steps of the whole session that the new one begins with; 0: none, only its settings. */
  readonly atStep: number
  /** Makes a repeated request one session. */
  readonly newSessionId?: string
  readonly actor: Actor
}
