import type { z } from "zod"
import type { MediaFacts } from "../domain/media/inspect-media.ts"
import type { Skill } from "../domain/notes/skill.ts"
import type { PlantedPaths, Sandbox } from "./sandbox/sandbox.ts"

/** What a tool can use while it runs. */
export interface ToolContext {
  readonly sessionId: string
  /** Absolute real path of the session's working directory. File tools stay inside it. */
  readonly cwd: string
  /** Directory for results too long for the transcript, readable by Read, inside the data directory; one per session. */
  readonly spillDir: string
  /** Adjutant's data directory if it is not `.adjutant` in the working directory. Tools cannot read or write it, except `spillDir`. */
  readonly dataDir?: string
  /** Absolute paths of files that the configuration names, such as programs of hooks. They are protected like the configuration itself. */
  readonly namedFiles?: readonly string[]
  /** Whether a person approved this call knowing that it changes a protected path. */
  readonly mayChangeProtected?: boolean
  /** Relative to `cwd`: the only path that the call can use, because a grant covers it there. Absent if it does not run by a grant of a path. */
  readonly grantedPath?: string
  /** Receives the protected paths that a command planted, also if it ends in the background. */
  readonly onPlanted?: (found: PlantedPaths) => void
  /** The skills that the session can load. */
  readonly skills?: readonly Skill[]
  /** The environment of processes: the allowed variables of the worker's environment and no others. */
  readonly env: Readonly<Record<string, string>>
  /** Runs processes, confined if a sandbox works. */
  readonly sandbox: Sandbox
  /** Hosts that the command of this call can reach besides those of its sandbox; see `SandboxCommand`. */
  readonly network?: readonly string[]
  /** Hosts of the web that the configuration names; see `WebFetch`. */
  readonly webHosts?: readonly string[]
  /** The scratch folder of a task with `enable_sandbox`; see `SandboxCommand`. */
  readonly scratchDir?: string
  /** Time limits of Bash without `timeout_ms`, and the largest `timeout_ms`. Milliseconds. */
  readonly bashTimeouts?: { readonly defaultMs: number; readonly maxMs: number }
  /** Aborted on cancel, on timeout, or when the worker shuts down. A tool stops what it started before it rejects. */
  readonly signal: AbortSignal
  /** The session's todo list, stored by the caller. */
  readonly todos: { read(): Promise<readonly Todo[]>; write(todos: readonly Todo[]): Promise<void> }
  /** Returns what the program that started the session has stored with it. */
  readonly metadata?: () => Promise<Readonly<Record<string, unknown>>>
  /** Reports the progress of a long call. */
  readonly progress?: (update: ToolProgress) => void
  /** Gets the output of the command of this call while it runs. */
  readonly output?: OutputWatcher
  /**
   * Returns the SHA-256 of a file's content when the session last read or wrote it, by its path relative to `cwd`; undefined if it did neither. Absent where
   * this is not recorded: Write then replaces any file.
   */
  readonly seenContent?: (path: string) => Promise<string | undefined>
  /** Whether an approver decided on this very call. */
  readonly isDecided?: boolean
  /** If this call asked a question before: its state, and the person's answer. */
  readonly answered?: { readonly state: string; readonly text: string }
}

export interface OutputWatcher {
  add(chunk: Buffer): void
  /** Ignores what comes later. */
  stop(): void
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

/** An image or a PDF of a result. Its first bytes say which, and not its name. */
export interface ToolMedia {
  readonly bytes: Uint8Array
  /** What the bytes say, from a tool that has inspected them. */
  readonly facts?: MediaFacts
  /** What people and models call it, such as the path of its file. */
  readonly name?: string
}

/** What a call has read or written of a file. Contents as SHA-256 in hexadecimal. */
export interface TouchedFile {
  /** Relative to the working directory. */
  readonly path: string
  /** The content that the session knows now. */
  readonly seen?: string
  /** The content that the call wrote. */
  readonly written?: string
  /** Set if the call removed the file. */
  readonly isGone?: true
}

/** The result of a tool: text for the model. `isError` marks an expected failure that the model can act on. */
export interface ToolResult {
  readonly content: string
  /** Images and PDF files, shown to models that take them; others get a line of text about each. Left out of a result with `isError`. */
  readonly media?: readonly ToolMedia[]
  readonly isError?: boolean
  /** Remembered with the result. */
  readonly touched?: TouchedFile | readonly TouchedFile[]
  /** Set if the call waits for a person. `content` is then ignored. */
  readonly question?: ToolQuestion
}

/** What a call does with one of its files, before it runs. */
export interface FileChange {
  readonly path: string
  /** Whether the call replaces the whole file. */
  readonly isWhole: boolean
  readonly removes?: true
  /** Where the call moves the file. */
  readonly movesTo?: string
  /** Returns the file's text after the call; undefined if the call removes it. @throws ToolFailure if the call would fail */
  readonly change: (before: string | undefined) => string | undefined
}

/** A tool of the built-in set, of a program that embeds Adjutant, or (adapted) of an MCP server. */
export interface Tool<Input = unknown> {
  readonly name: string
  readonly description: string
  readonly input: z.ZodType<Input>
  /** JSON Schema for models (default: the schema of `input`). */
  readonly inputJsonSchema?: Readonly<Record<string, unknown>>
  /** Checks that are too slow for the event loop. Returns why an input that `input` accepts does not fit; undefined if it fits. */
  inputProblem?(input: Input): Promise<string | undefined>
  /** Whether running the tool twice has the same effect as running it once. Other tools run at most once. */
  readonly idempotent: boolean
  /** Whether the tool changes nothing that others can see. Read-only tools run in parallel and are `auto` by default. */
  readonly readOnly: boolean
  /**
   * Whether the tool ends within about a second on any worker. If it is also read-only and idempotent, it runs inside the workflow task, which
   * costs a fraction of a separate activity. If it takes longer than `quickToolMs`, it runs again as a separate activity.
   */
  readonly quick?: boolean
  /** Returns the paths of files that the call changes, relative to the working directory or absolute. A protected one needs a person's approval. */
  writes?(input: Input): readonly string[]
  /**
   * Returns the new text of the one file that `writes` names, so that people see a diff before they approve the call; `before` is undefined if the
   * file does not exist. Throws `ToolFailure` if the call would fail.
   */
  rewrites?(input: Input, before: string | undefined): string
  /** The same for a call that changes several files. */
  changes?(input: Input): readonly FileChange[]
  /** Returns the description of a tool by its MCP server, as JSON. If it changes, an earlier decision on a call of the tool no longer counts. */
  definition?(): string
  /** Runs the tool. Returns expected failures with `isError`; throws only for bugs and on abort. */
  execute(input: Input, context: ToolContext): Promise<ToolResult>
}

/** Returns the tool unchanged; infers the input type of `execute` from the schema. */
export const defineTool = <Input>(tool: Tool<Input>): Tool<Input> => tool
