import type { RemoteActor } from "../sessions/authority/actor.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import type { Authority } from "../domain/caller/authority.ts"
import type { ToolAnswer } from "../domain/delegation/tool-answer.ts"
import type { Engine, EngineAccess } from "./engine/engine-access.ts"
import type { InputRequests, ServerContext } from "@modelcontextprotocol/server"

export type Toolset = "tasks" | "task" | "sessions"
export const toolsetNames: readonly Toolset[] = ["tasks", "task", "sessions"]

export interface McpLogger {
  error(detail: Readonly<Record<string, unknown>>, message: string): void
}

/** What a server of MCP works with. Everything stays the caller's to close. */
export interface McpServerOptions {
  readonly engine: EngineAccess
  readonly loaded: LoadedConfig
  /** Families of tools that are offered. */
  readonly toolsets: readonly Toolset[]
  /** No client of this server can approve a call, whatever it sends. */
  readonly noApprove: boolean
  /** Its clients may look and wait, and nothing else: what would start, steer, decide or stop something is refused. */
  readonly readOnly?: boolean
  readonly logger: McpLogger
  /** Whose sub-agents count together against `subagents.maxChildrenPerAgent`: one name per process or token. */
  readonly caller?: string
  /** Who acts, for the audit; left out: the name that the client gives itself. */
  readonly actorName?: string
  /** Working directory of sub-agents, absolute; left out: the project root. */
  readonly cwd?: string
  /** Where the sessions work that its clients may start and send to; left out: anywhere. */
  readonly directories?: Authority["directories"]
  /** Removes known secrets from a text. */
  readonly redact?: (text: string) => string
  readonly version?: string
}

/** The settings that are known before the engine is open. */
export type McpSettings = Required<Omit<McpServerOptions, "actorName" | "version" | "engine">>

export type McpContext = McpSettings & Engine

/** What requests work with, once the engine is there. */
export interface ContextAccess {
  /** Waits for the engine, and starts it if no start is under way. Throws `EngineNotReady`. */
  open(request: ServerContext): Promise<McpContext>
  /** Undefined while the engine is not open. */
  current(): McpContext | undefined
}

/** One call of a tool, with what its request said about the client. */
export interface ToolCall {
  readonly args: unknown
  readonly signal: AbortSignal
  readonly actor: RemoteActor
  /** Where the request asked for progress. */
  readonly progress: ((message: string) => void) | undefined
  /** The client can show a form to its person. */
  readonly canElicit: boolean
  /** The client declared the Tasks extension. */
  readonly wantsTask: boolean
  /** What the person answered to earlier questions of this call; untrusted. */
  readonly inputResponses: Readonly<Record<string, unknown>>
  /** What an earlier round of this call handed out; untrusted. */
  readonly requestState: string | undefined
  /** True if the client cancelled the call; false if it disconnected. */
  isCancelled(): boolean
}

/** What a tool answers: a result, questions to the person, or a task in the result's stead. */
export type ToolReply =
  | { readonly kind: "answer"; readonly answer: ToolAnswer }
  | { readonly kind: "ask"; readonly requests: InputRequests; readonly state: string }
  | { readonly kind: "task"; readonly sessionId: string }

export type ToolHandler = (context: McpContext, call: ToolCall) => Promise<ToolReply>

export const answered = (answer: ToolAnswer): ToolReply => ({ kind: "answer", answer })
