import type { z } from "zod"
import type { Sandbox } from "./sandbox/sandbox.ts"

/** What a tool may know and use while it runs. */
export interface ToolContext {
  readonly sessionId: string
  /** Absolute real path of the session's working directory: file tools stay inside it. */
  readonly cwd: string
  /** Directory for results too long for the transcript, readable by Read, inside the data directory; one per session. */
  readonly spillDir: string
  /** Adjutant's data directory where it is not `.adjutant` in the working directory: tools neither read nor write it, `spillDir` apart. */
  readonly dataDir?: string
  /** The allow-listed environment that processes get; nothing else of the worker's environment reaches a tool. */
  readonly env: Readonly<Record<string, string>>
  /** Runs processes, confined where a sandbox works. */
  readonly sandbox: Sandbox
  /** How long Bash may run without and at most with `timeout_ms`. Milliseconds. */
  readonly bashTimeouts?: { readonly defaultMs: number; readonly maxMs: number }
  /** Cancelled, timed out, or the worker shuts down. A tool stops what it started before it rejects. */
  readonly signal: AbortSignal
  /** The session's todo list, kept by the caller. */
  readonly todos: { read(): Promise<readonly Todo[]>; write(todos: readonly Todo[]): Promise<void> }
  /** Says how far a long call has come. */
  readonly progress?: (update: ToolProgress) => void
  /** Where this call asked a question before: what it kept, and a person's answer. */
  readonly answered?: { readonly state: string; readonly text: string }
}

export interface ToolProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** A question that only a person can answer. The call is executed again with the answer and with `state`. */
export interface ToolQuestion {
  readonly message: string
  readonly state: string
}

export interface Todo {
  readonly content: string
  readonly status: "pending" | "in_progress" | "completed"
}

/** What a tool gives back: text for the model. `isError` marks an expected failure that the model can act on. */
export interface ToolResult {
  readonly content: string
  readonly isError?: boolean
  /** The call is not over: it waits for a person. `content` is of no meaning then. */
  readonly question?: ToolQuestion
}

/** A tool of the built-in set, of a program that embeds Adjutant, or (adapted) of an MCP server. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType<Input>
  /** What a model is shown instead of the JSON Schema made from `input`. */
  readonly inputJsonSchema?: Readonly<Record<string, unknown>>
  /** True: running it twice does no more than running it once. Others run at most once. */
  readonly idempotent: boolean
  /** True: changes nothing that anyone could see. Read-only tools run side by side, and are `auto` by default. */
  readonly readOnly: boolean
  /**
   * True: ends within a second or so, on any worker. Where it is read-only and idempotent, too, it runs inside the engine's workflow task,
   * which costs a fraction of an activity of its own; when it takes longer than `timing.quickToolMs` it is run again as one.
   */
  readonly quick?: boolean
  /** Expected failures come back as `isError`; it throws only for bugs and on abort. */
  execute(input: Input, context: ToolContext): Promise<ToolResult>
}

/** Keeps the input type of `execute` tied to the schema. */
export const defineTool = <Input>(tool: Tool<Input>): Tool<Input> => tool
