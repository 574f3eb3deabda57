import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { AgentListItem } from "../../contracts/http/agents.ts"
import type { SessionDetail } from "../../contracts/session-detail.ts"
import { pendingToolNames } from "../../domain/approval/resume-command.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { numberedTaskTable } from "../../domain/delegation/task/task-table.ts"
import { type ThreadCommand, threadCommandHelp } from "../../domain/delivery/thread-command.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { sessionFacts } from "../../domain/run/session-facts.ts"
import type { SessionRow } from "../../store/store.ts"
import type { RemoteActor } from "../authority/actor.ts"
import { cancel } from "../control/cancel.ts"
import { sendMessage } from "../messages/send-message.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { listAgents } from "./agents-view.ts"
import { findBelow } from "../../domain/delegation/find-below.ts"
import { info } from "../view/info.ts"
import { descendantsOf } from "../view/session-tree.ts"
import { taskRowFrom } from "../view/task-facts.ts"

interface ThreadCommandRequest {
  /** The session to which the thread is bound. A command reaches it and the sessions below it, and no others. */
  readonly row: SessionRow
  readonly command: ThreadCommand
  /** Makes a repeated command one message. */
  readonly messageId: string
  readonly actor: RemoteActor
}

const agentsText = (agents: readonly AgentListItem[]): string =>
  agents
    .flatMap(({ id, type, sessions }) => [
      `${id} (${type})`,
      ...sessions.map(({ id: session, status, label, thread }) => {
        const place = thread === null ? "unbound" : `thread:${thread.key}`
        return `- ${session} ${label === null ? "" : `"${label}" `}${status}, ${place}`
      }),
    ])
    .join("\n")

const childTable = async (
  { store }: SessionsContext,
  row: SessionRow,
  below: readonly SessionRow[],
): Promise<string> => {
  const own = below.filter(({ parentId, archivedAt }) => parentId === row.id && archivedAt === null)
  return numberedTaskTable(
    await Promise.all(
      own.map(async (child) => ({
        ...taskRowFrom(child, await store.runs.latest(child.id)),
        number: child.number,
        description: child.label ?? child.title,
      })),
    ),
  )
}

/** Returns what a paused session waits for. A question can be answered in the thread, a call cannot be decided there. */
const waitsFor = ({ agent_message, pause_reason }: SessionDetail): readonly string[] => {
  const calls = pause_reason?.pending_tool_calls ?? []
  if (calls.length > 0) return [`waiting for approval of: ${pendingToolNames(calls)}`]
  return agent_message ? [`waiting for an answer: ${agent_message}`] : []
}

const infoText = (session: SessionDetail): string =>
  [
    `${session.id} ${session.status}, ${session.agent} on ${session.model}`,
    ...sessionFacts({ ...session, temporal_url: null }).flatMap(([name, text]) =>
      text === null ? [] : [`${name}: ${text.replaceAll(/\s+/g, " ")}`],
    ),
    ...waitsFor(session),
  ].join("\n")

const cancelAll = async (
  context: SessionsContext,
  rows: readonly SessionRow[],
  actor: RemoteActor,
): Promise<readonly string[]> => {
  const lines: string[] = []
  for (const { id } of rows) {
    const { status } = await cancel(context, { sessionId: id }, actor)
    lines.push(isFinal(status) ? `${id} is ${status}.` : `${id} is being cancelled.`)
  }
  return lines
}

const isOpen = ({ status, runId }: SessionRow): boolean => runId !== null && !isFinal(status)

/** Cancels the session and, if its run has ended, what still works below it. */
const stop = async (
  context: SessionsContext,
  { row, actor }: ThreadCommandRequest,
  below: readonly SessionRow[],
): Promise<string> => {
  const stopped = [row, ...below].filter(isOpen)
  if (stopped.length === 0) return "Nothing is running."
  await cancelAll(context, isOpen(row) ? [row] : stopped, actor)
  return `Stopped ${stopped.map(({ id }) => id).join(", ")}.`
}

const missing = (target: string): string =>
  target === "" ? "Name a sub-agent: its id, #n or label; /list shows them." : `There is no sub-agent ${target}.`

const steer = async (
  context: SessionsContext,
  { actor, messageId }: ThreadCommandRequest,
  { child, text }: { readonly child: SessionRow; readonly text: string },
): Promise<string> => {
  await sendMessage(context, { sessionId: child.id, text, type: "steering", messageId, delivery: "signal", actor })
  return `${child.id} continues with this at its next safe point.`
}

const answer = async (context: SessionsContext, request: ThreadCommandRequest): Promise<string> => {
  const { row, command, actor } = request
  const below = await descendantsOf(context.store, row)
  const named = (target: string): SessionRow | undefined =>
    findBelow(below, { parentId: row.id, target, nowMs: Date.now() })
  switch (command.name) {
    case "help":
      return threadCommandHelp
    case "agents":
      return agentsText(await listAgents(context, new Set([row, ...below].map(({ id }) => id))))
    case "list":
      return await childTable(context, row, below)
    case "stop":
      return await stop(context, request, below)
    case "info": {
      const target = command.target === "" ? row : named(command.target)
      return target === undefined ? missing(command.target) : infoText(await info(context, target.id))
    }
    case "kill": {
      const all = below.filter((child) => child.parentId === row.id && isOpen(child))
      const targets = command.target === "all" ? all : [named(command.target)].filter((child) => child !== undefined)
      if (targets.length > 0) return (await cancelAll(context, targets, actor)).join("\n")
      return command.target === "all" ? "No sub-agent is running." : missing(command.target)
    }
    case "steer": {
      const child = named(command.target)
      if (child === undefined || command.text === "") return missing(child === undefined ? command.target : "")
      return await steer(context, request, { child, text: command.text })
    }
    default:
      return assertNever(command)
  }
}

const isAboutRequest = (error: unknown): error is Error =>
  isAdjutantError(error) &&
  ["session_not_running", "forbidden", "run_mismatch", "target_ambiguous"].includes(error.code)

/** Executes a command from a thread. Returns the answer for the thread, also if the command cannot be executed. */
export const runThreadCommand = async (context: SessionsContext, request: ThreadCommandRequest): Promise<string> => {
  try {
    return context.redact(await answer(context, request))
  } catch (error) {
    if (isAboutRequest(error)) return context.redact(error.message)
    throw error
  }
}
