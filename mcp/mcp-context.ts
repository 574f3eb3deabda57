import type { RemoteActor } from "../sessions/actor.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import type { Toolset } from "../contracts/service/mcp-connection.ts"
import type { Authority } from "../domain/caller/authority.ts"
import type { ToolAnswer } from "../domain/delegation/tool-answer.ts"
import type { AnswerLimits } from "./answer-limits.ts"
import type { Engine, EngineAccess } from "./engine-access.ts"
import type { InputRequests, ServerContext } from "@modelcontextprotocol/server"

export interface McpLogger {
  warn(detail: Readonly<Record<string, unknown>>, message: string): void
  error(detail: Readonly<Record<string, unknown>>, message: string): void
}

/** Options of an MCP server. The caller closes what it passes in. */
export interface McpServerOptions {
  readonly engine: EngineAccess
  readonly loaded: LoadedConfig
  /** Families of tools to offer. */
  readonly toolsets: readonly Toolset[]
  /** If true, clients of this server cannot approve calls. */
  readonly noApprove: boolean
  /** If true, clients can only read and wait. Requests that start, steer, decide or stop something are refused. */
  readonly readOnly?: boolean
  readonly logger: McpLogger
  /**
   * Identity of the client, the same after a restart. It reaches the sessions that it started and those below them, and they count together
   * against `subagents.maxChildrenPerAgent`.
   */
  readonly caller: string
  /** If true, the client reaches every session of the store. */
  readonly allSessions?: boolean
  /** Name for the audit (default: the name that the client reports). */
  readonly actorName?: string
  /** Absolute working directory of sub-agents (default: the project root). */
  readonly cwd?: string
  /** Directories in which clients may start sessions and send to them (default: any). */
  readonly directories?: Authority["directories"]
  /** How long a call waits before it is answered without an end (default: less than the limits of usual clients). */
  readonly answerLimits?: AnswerLimits
  /** Removes known secrets from a text. */
  readonly redact?: (text: string) => string
  readonly version?: string
}

/** Settings that are known before the engine is open. */
export type McpSettings = Required<Omit<McpServerOptions, "actorName" | "version" | "engine">>

export type McpContext = McpSettings & Engine

/** What requests use once the engine is open. */
export interface ContextAccess {
  /** Waits for the engine, and starts it if no start is under way. Throws `EngineNotReady`. */
  open(request: ServerContext): Promise<McpContext>
  /** Undefined while the engine is not open. */
  current(): McpContext | undefined
}

/** One tool call, with what its request reports about the client. */
export interface ClientToolCall {
  readonly args: unknown
  readonly signal: AbortSignal
  readonly actor: RemoteActor
  /** Sends progress; undefined if the request did not ask for it. */
  readonly progress: ((message: string) => void) | undefined
  /** Whether the client can show a form to its person. */
  readonly canElicit: boolean
  /** Whether the client repeats a call with the answers to its questions. Clients of older protocol revisions are sent each form instead. */
  readonly retries: boolean
  /** Whether the client declared the Tasks extension. */
  readonly wantsTask: boolean
  /** The person's answers to earlier questions of this call; untrusted. */
  readonly inputResponses: Readonly<Record<string, unknown>>
  /** The state that the previous round of this call returned; untrusted. */
  readonly requestState: string | undefined
  /** When the call is answered at the latest, in milliseconds since the epoch, whatever it waits for. */
  readonly answerBy: number
  /** Whether it was sent before, to a service that was lost before it answered. */
  readonly isRepeated: boolean
}

/** The reply of a tool: a result, questions to the person, or a task instead of a result. */
export type ToolReply =
  | { readonly kind: "answer"; readonly answer: ToolAnswer }
  | { readonly kind: "ask"; readonly requests: InputRequests; readonly state: string }
  | { readonly kind: "task"; readonly sessionId: string }

/** What a call of a delegation tool can become instead of an answer. */
export type ClientLater = Exclude<ToolReply, { readonly kind: "answer" }>

export type McpToolHandler = (context: McpContext, call: ClientToolCall) => Promise<ToolReply>

export const answered = (answer: ToolAnswer): ToolReply => ({ kind: "answer", answer })
