import { patched } from "@temporalio/workflow"
import { activeChildren } from "../../domain/limits/child-state.ts"
import { isAskedInThread, takeThreadMessages } from "../../domain/session/accept-message.ts"
import type { SessionState } from "../../domain/session/session-state.ts"
import type { SessionContext } from "../session/session-context.ts"

/** Returns whether steering waits for the session. Any other text waits for the model's next turn: it makes no call void. */
export const isSteered = ({ waiting }: Pick<SessionState, "waiting">): boolean =>
  waiting.some(({ source }) => source === "steering")

/** Returns whether a message in a thread begins a run of its own, also while sub-agents work; sessions of an earlier version read it in the open run. */
export const messagesBeginRuns = (): boolean => patched("thread-messages-begin-runs")

/** Returns whether someone follows the run in a thread: it was bound when the run started, or someone has written in it since. */
export const hasThread = ({ settings, state }: SessionContext): boolean =>
  settings?.thread !== undefined || state.run.isAskedInThread === true || isAskedInThread(state)

/** Returns whether the next run can take sub-agents over: those of a run in a worktree work on its files, which are removed at its end. */
export const mayPassOn = ({ settings }: Pick<SessionContext, "settings">): boolean => settings?.worktree !== true

/** Returns whether a message in its thread completes a run that only waits for sub-agents: the run that it begins takes them over. */
export const isTakenOver = (context: SessionContext): boolean => {
  const { state } = context
  return (
    isAskedInThread(state) && activeChildren(state.run.children).length > 0 && messagesBeginRuns() && mayPassOn(context)
  )
}

/** Lets the open run read what was written in its thread, in a session of an earlier version. */
export const takeOldThreadMessages = (context: SessionContext): void => {
  const { state } = context
  if (isAskedInThread(state) && activeChildren(state.run.children).length > 0 && !messagesBeginRuns())
    takeThreadMessages(state)
}
