import { type AdjutantError, isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { AgentListItem } from "../../contracts/http/agents.ts"
import { explain } from "../../domain/advice/explain.ts"
import { thinkingSchema } from "../../contracts/run/model-provider.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { dataNote, withoutFences } from "../../domain/text/foreign/fence-data.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { type ThreadCommand, threadCommandHelp } from "../../domain/delivery/thread-command.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { parseDuration } from "../../domain/text/duration.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import type { SessionRow } from "../../store/store.ts"
import { cancel } from "../control/cancel.ts"
import { subagents } from "../delegation-tools/manage.ts"
import { sendMessage } from "../messages/send-message.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { digitsOf } from "../session-id.ts"
import { createSession } from "../start/create-session.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import { listAgents } from "./agents-view.ts"
import { bindingOf } from "./binding-view.ts"
import { focus, setExpiry, unfocus } from "./bindings.ts"
import { type InThread, threadSubAgents } from "./thread-sub-agents.ts"

interface ThreadCommandRequest extends InThread {
  readonly command: ThreadCommand
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

const isAtWork = ({ status, runId }: SessionRow): boolean => runId !== null && !isFinal(status)

/** Cancels the session and, if its run has ended, what still works below it: the session itself stays open for its thread then. */
const stop = async (context: SessionsContext, { row, actor }: ThreadCommandRequest): Promise<string> => {
  const stopped = [row, ...(await descendantsOf(context.store, row))].filter(isAtWork)
  if (stopped.length === 0) return "Nothing is running."
  for (const { id } of isAtWork(row) ? [row] : stopped) await cancel(context, { sessionId: id }, actor)
  return `Stopped ${stopped.map(({ id }) => id).join(", ")}.`
}

/** Returns an answer as a person reads it: without the marks for a model. */
const shown = ({ text, structured: { error, next }, isError }: ToolAnswer): string => {
  const said =
    isError && typeof error === "object" && error !== null && "message" in error
      ? [error.message, next].filter((part) => typeof part === "string").join("\n\n")
      : text
  return withoutFences(said).replace(dataNote, "").trim()
}

/** Does what the tool `subagents` does, and answers with its text. */
const manage = async (
  context: SessionsContext,
  thread: InThread,
  { input }: Extract<ThreadCommand, { readonly name: "subagents" }>,
): Promise<string> => {
  const isAboutTask = input.target === undefined && (input.action === "info" || input.action === "log")
  const args = isAboutTask ? { ...input, target: thread.row.id } : input
  const reply = await subagents<never>(threadSubAgents(context, thread), args)
  return reply.kind === "later" ? reply.later : shown(reply.value)
}

/** Starts a sub-agent of the thread's task; for a repeated command, the same. */
const spawn = async (
  context: SessionsContext,
  { row, actor, messageId }: InThread,
  { agent, task, model, thinking }: Extract<ThreadCommand, { readonly name: "spawn" }>,
): Promise<string> => {
  const level = thinking === undefined ? undefined : thinkingSchema.safeParse(thinking)
  if (level?.success === false) return `The level of --thinking is one of ${thinkingSchema.options.join(", ")}.`
  const sessionId = digitsOf(JSON.stringify([row.id, messageId])).slice(-12)
  const { id } = await createSession(context, {
    sessionId,
    parentId: row.id,
    cwd: row.cwd,
    agent,
    ...withoutUndefined({ model }),
    actor,
  })
  const limits = level?.success === true ? { thinking: level.data } : {}
  await sendMessage(context, {
    sessionId: id,
    text: task,
    type: "message",
    messageId,
    delivery: "signal",
    limits,
    actor,
  })
  return `Started ${id} (${agent}).`
}

const focusOn = async (context: SessionsContext, thread: InThread, target: string): Promise<string> => {
  const id = await threadSubAgents(context, thread).find(target, { for: "reading" })
  if (id === undefined) return `There is no sub-agent ${target}: /list shows them.`
  const { channel, thread_key: threadKey } = await bindingOf(context, thread.row.id)
  await focus(context, { sessionId: id, channel, threadKey, actor: thread.actor })
  return `This thread continues with ${id}.`
}

const expire = async (
  context: SessionsContext,
  { row, actor }: InThread,
  { setting, duration }: Extract<ThreadCommand, { readonly name: "session" }>,
): Promise<string> => {
  const ms = parseDuration(duration)
  if (ms === undefined) return "Use a duration such as 90m, 24h or 1h30m, or off."
  const change = setting === "idle" ? { idleMs: ms } : { maxAgeMs: ms }
  const { expires_at: end } = await setExpiry(context, { sessionId: row.id, ...change }, actor)
  return end === null ? "The binding does not end by itself." : `The binding ends at ${end}.`
}

const answer = async (context: SessionsContext, request: ThreadCommandRequest): Promise<string> => {
  const { row, command, actor } = request
  switch (command.name) {
    case "help":
      return threadCommandHelp
    case "agents": {
      const tree = [row, ...(await descendantsOf(context.store, row))]
      return agentsText(await listAgents(context, new Set(tree.map(({ id }) => id))))
    }
    case "stop":
      return await stop(context, request)
    case "subagents":
      return await manage(context, request, command)
    case "spawn":
      return await spawn(context, request, command)
    case "focus":
      return await focusOn(context, request, command.target)
    case "unfocus":
      await unfocus(context, row.id, actor)
      return "This thread is no longer bound to a task."
    case "session":
      return await expire(context, request, command)
    default:
      return assertNever(command)
  }
}

/** Executes a command from a thread. Returns the answer for the thread, also if the command cannot be executed. */
export const runThreadCommand = async (context: SessionsContext, request: ThreadCommandRequest): Promise<string> => {
  try {
    return context.redact(await answer(context, request))
  } catch (error) {
    if (isAboutRequest(error)) return context.redact(explain(error, { kind: "chat" }))
    throw error
  }
}

/** What the person in the thread can understand and change; other failures are tried again. */
const aboutRequest = [
  "session_not_running",
  "forbidden",
  "run_mismatch",
  "target_ambiguous",
  "invalid_argument",
  "limit_widened",
  "agent_not_found",
]

const isAboutRequest = (error: unknown): error is AdjutantError =>
  isAdjutantError(error) && aboutRequest.includes(error.code)
