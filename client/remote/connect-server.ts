import type { CallDecision, GeneralDecision } from "../../contracts/approval/decision.ts"
import type { SessionEvent } from "../../contracts/event.ts"
import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { RunOptions } from "../../contracts/run/run-options.ts"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import type { Session } from "../../contracts/session/session.ts"
import type { Status } from "../../contracts/status.ts"
import type { PendingApproval } from "../../sessions/pauses/approval.ts"
import { createRemoteClient } from "./create-remote-client.ts"
import { defaultRemoteTiming, type RemoteTiming } from "./server-connection.ts"

export { AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"

export interface ServerOptions {
  /** Address of a server, such as `https://adjutant.example.com`. */
  readonly url: string
  /** A token of the server, which decides what this program can do. */
  readonly token: string
  readonly timing?: Partial<RemoteTiming>
}

/** A run to start. Without `cwd`, the agent works in the server's project. */
export interface ServerStart extends RunOptions {
  readonly prompt: string
  readonly agent?: string
  readonly cwd?: string
  readonly title?: string
  readonly label?: string
}

interface OfPause {
  readonly sessionId: string
  /** Of the pause that was looked at: an answer or a decision for an earlier one is refused. */
  readonly checkpointId?: string
}

export interface ServerMessage extends OfPause {
  readonly text: string
  /** `message` (default) starts a run if the session is idle, or answers a question; `follow_up` also queues; `steering` requires a run. */
  readonly type?: "message" | "follow_up" | "steering"
  /** Options of the run that the message starts; at most those of the session. */
  readonly limits?: RunOptions
}

export interface ServerDecision extends OfPause {
  /** Decisions by the ids of the calls. */
  readonly decisions?: Readonly<Record<string, CallDecision>>
  readonly all?: GeneralDecision
  /** What happens to calls that are not listed; default: they stay pending. */
  readonly unlisted?: "pending" | "reject"
}

export interface ServerListFilter {
  readonly status?: Status
  readonly agent?: string
  readonly parent?: string
  readonly root?: string
  readonly archived?: boolean
  readonly q?: string
  readonly limit?: number
  readonly cursor?: string
}

/** What a program can do on a server over the HTTP API, with the documents and events of the library. Expected failures are `AdjutantError`. */
export interface ServerClient {
  start(request: ServerStart): Promise<{ readonly sessionId: string; readonly runId: string }>
  send(message: ServerMessage): Promise<{ readonly runId: string }>
  decide(decision: ServerDecision): Promise<{ readonly runId: string }>
  /** Cancels a session and everything below it. */
  cancel(sessionId: string): Promise<{ readonly status: Status }>
  /** Waits until the session and everything below it is final or paused. Returns `undefined` if the time elapses; nothing is cancelled. */
  wait(
    sessionId: string,
    options?: { timeoutSeconds?: number; signal?: AbortSignal },
  ): Promise<OutcomeDocument | undefined>
  /** Yields the session's events after the id `after`, until the signal fires. */
  watch(sessionId: string, options: { after?: number; signal: AbortSignal }): AsyncIterable<SessionEvent>
  info(sessionId: string): Promise<SessionDetail>
  list(filter?: ServerListFilter): Promise<{ readonly items: readonly Session[]; readonly next_cursor: string | null }>
  /** Returns everything that waits for a person. */
  approvals(): Promise<{ readonly items: readonly PendingApproval[]; readonly next_cursor: string | null }>
}

/** Connects to a server. No request is sent before the first call. */
export const connectServer = ({ url, token, timing }: ServerOptions): ServerClient => {
  const client = createRemoteClient({
    ...{ url: url.replace(/\/+$/, ""), token },
    timing: { ...defaultRemoteTiming, ...timing },
  })
  // The server knows who acts by the token.
  const actor = { by: "", via: "" }
  return {
    start: ({ prompt: text, agent, cwd, title, label, ...limits }) =>
      client.startTask({ agent, model: limits.model, cwd, title, label, text, limits }),
    send: ({ type = "message", ...message }) => client.send({ ...message, type, actor }),
    decide: ({ unlisted = "pending", ...decision }) => client.decide({ ...decision, unlisted, actor }),
    cancel: (sessionId) => client.cancel(sessionId, actor),
    wait: (sessionId, options) => client.wait(sessionId, options),
    watch: (sessionId, options) => client.watch(sessionId, options),
    info: (sessionId) => client.info(sessionId),
    list: (filter = {}) => client.list(filter),
    approvals: () => client.approvals(),
  }
}
