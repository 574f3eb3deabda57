import type { AppendItem } from "../../activities/contract/agent-activities.ts"
import { unreportedChildren } from "../../domain/limits/child-state.ts"
import { isRunnable, markWritten, unwrittenAnswers } from "../../domain/calls/tool-batch.ts"
import type { SessionContext } from "./session-context.ts"

/** Returns the answers that no tool wrote (rejected, skipped, custom), each at its call's place. Marks them as written. */
export const answersToWrite = (context: SessionContext): readonly AppendItem[] => {
  const { run } = context.state
  if (run.batch === null) return []
  const items = unwrittenAnswers(run.batch).flatMap((call): AppendItem[] => {
    if (call.state.at !== "settled") return []
    const { id: callId, name, resultSeq: seq } = call
    const { answer } = call.state
    const neverRan = answer.outcome === "error" && !isRunnable(call)
    return [
      {
        ...{ kind: "result", seq, callId, name, ...answer },
        ...(neverRan ? { executed: false } : {}),
        ...(call.disposition === "refuse" ? { refused: true } : {}),
        ...(call.code === undefined ? {} : { code: call.code }),
      },
    ]
  })
  run.batch = markWritten(run.batch)
  return items
}

/** Returns the results of children that no model call of the run has read. */
export const unreadResults = ({
  state,
}: SessionContext): readonly { readonly childId: string; readonly runId: string }[] => [
  ...unreportedChildren(state.run.children).map(({ id, runId }) => ({ childId: id, runId })),
  ...state.reports,
]

/** Results of children that ended in the background and that were not reported yet, in spawn order, each once. */
export const announcesToWrite = (context: SessionContext): readonly AppendItem[] => {
  const { state } = context
  const ended = unreportedChildren(state.run.children).map((child) => {
    child.isReported = true
    return { childId: child.id, runId: child.runId }
  })
  const reported = [...ended, ...state.reports]
  state.reports = []
  return reported.map((run): AppendItem => {
    state.headSeq += 1
    return { kind: "announce", seq: state.headSeq, ...run }
  })
}

/** Returns the texts that the model has not seen, each with the next free position in the transcript. */
export const textsToWrite = (context: SessionContext): readonly AppendItem[] => {
  const { state } = context
  const items = state.waiting.map((text): AppendItem => {
    state.headSeq += 1
    const { source, inboxId } = text
    return text.text === undefined
      ? { kind: "inbox", seq: state.headSeq, inboxId, source }
      : { kind: "text", seq: state.headSeq, source, text: text.text }
  })
  state.waiting = []
  state.announcedSteering = []
  return items
}
