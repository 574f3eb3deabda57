import type { PauseRow, RunRow } from "../../store/store.ts"

/** What a thread reads when a run ends: the agent's own words, and where it did not complete, why. */
export const channelResultText = (run: RunRow): string => {
  const message = run.finalMessage ?? ""
  if (run.status === "completed") return message
  const why = `The run ended without completing (${run.stopReason ?? run.status})${run.error === null ? "." : `: ${run.error.message}`}`
  return message === "" ? why : `${message}\n\n${why}`
}

/** A question is asked in the thread. Calls are only named: who may write in a thread may not for that reason decide. */
export const channelPauseText = (pause: PauseRow): string => {
  if (pause.type === "input_required") return pause.message
  const names = [...new Set(pause.calls.map(({ name }) => name))].join(", ")
  return [pause.message, `Waits for approval of: ${names}.`].filter((part) => part !== "").join("\n\n")
}

/** What a channel's receiver is sent, as JSON; `message_id` is the same in every try. */
export const channelBody = (message: {
  readonly threadKey: string
  readonly text: string
  readonly key: string
  readonly sessionId: string
}): string =>
  JSON.stringify({
    thread_key: message.threadKey,
    text: message.text,
    message_id: message.key,
    session_id: message.sessionId,
  })
