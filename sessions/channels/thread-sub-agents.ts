import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { Listed } from "../../domain/delegation/answers/list-answers.ts"
import type { SentMessage } from "../../domain/delegation/answers/sent-answer.ts"
import { DelegationRefusal, notRunning } from "../../domain/delegation/delegation-refusal.ts"
import { findBelow } from "../../domain/delegation/find-below.ts"
import type { Surface } from "../../domain/advice/surface.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { historyRow } from "../../domain/transcript/history-row.ts"
import type { SessionRow } from "../../store/store.ts"
import type { RemoteActor } from "../actor.ts"
import { cancel } from "../control/cancel.ts"
import { mostOwn, type MessageTo, replyNow, sentMessage, type SubAgents } from "../delegation-tools/sub-agents.ts"
import { sendMessage } from "../messages/send-message.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { info } from "../view/info.ts"
import { readTranscript } from "../view/read-transcript.ts"
import { sessionView } from "../view/session-view.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import { taskReport, taskRowOf } from "../view/task-report.ts"

/** Who writes in a thread, and the task to which it is bound. */
export interface InThread {
  /** The session to which the thread is bound. A command reaches it and the sessions below it, and no others. */
  readonly row: SessionRow
  /** Makes a repeated command one message. */
  readonly messageId: string
  readonly actor: RemoteActor
}

const surface: Surface = { kind: "chat" }

/** What nobody can do in a thread: its commands do not get here. */
const notHere = (): Promise<never> =>
  Promise.reject(new DelegationRefusal("VALIDATION_ERROR", "this cannot be done in a thread"))

const listed =
  (context: SessionsContext, thread: SessionRow) =>
  async (row: SessionRow): Promise<Listed> => ({
    session: await sessionView(context, row),
    row: { ...(await taskRowOf(context.store, row)), number: row.parentId === thread.id ? row.number : null },
  })

const send = async (
  context: SessionsContext,
  { actor, messageId }: InThread,
  message: MessageTo,
): Promise<SentMessage> => {
  const { id, text, type } = message
  try {
    const request = { sessionId: id, text, type, messageId, delivery: "signal", actor } as const
    return sentMessage(message, await sendMessage(context, request))
  } catch (error) {
    if (isAdjutantError(error) && error.code === "session_not_running") throw notRunning(id, surface)
    throw error
  }
}

/** Returns the sub-agents of a thread's task, for one command in the thread: what is below the task, and to read, the task itself. */
export const threadSubAgents = (context: SessionsContext, thread: InThread): SubAgents<never> => {
  const { row, actor } = thread
  const { store } = context
  const below = () => descendantsOf(store, row)
  const openOwn = async () => (await own()).filter(({ status, runId }) => runId !== null && !isFinal(status))
  const own = async () =>
    (await below()).filter(({ parentId, archivedAt }) => parentId === row.id && archivedAt === null)
  const idsOfOpen = async () => (await openOwn()).map(({ id }) => id)
  return {
    surface,
    cwd: row.cwd,
    find: async (name, { for: use }) =>
      use === "reading" && name === row.id
        ? row.id
        : findBelow(await below(), { parentId: row.id, target: name, nowMs: Date.now() })?.id,
    facts: async (id) => (await taskReport(context, id)).facts,
    detail: async (id) => ({ ...(await info(context, id)), temporal_url: null }),
    history: async (id) => (await readTranscript(store, id)).map(historyRow),
    tasks: async (most) =>
      Promise.all(
        (await own())
          .slice(-most)
          .toReversed()
          .map((each) => taskRowOf(store, each)),
      ),
    list: notHere,
    own: async () => {
      const rows = await own()
      const sessions = await Promise.all(rows.slice(-mostOwn).map(listed(context, row)))
      return { sessions, isCut: rows.length > mostOwn }
    },
    profiles: notHere,
    profile: notHere,
    send: async (message) => replyNow(await send(context, thread, message)),
    cancel: async (id) => {
      const before = await store.sessions.get(id)
      const { status } = await cancel(context, { sessionId: id }, actor)
      return { id, status, hadEnded: before !== undefined && isFinal(before.status) }
    },
    stoppable: idsOfOpen,
    open: idsOfOpen,
    wait: notHere,
    needsPerson: () => true,
    decide: notHere,
    spawn: notHere,
    result: notHere,
  }
}
