import type { ModelDelta } from "../../models/model-provider.ts"
import type { StreamedEvents } from "../streamed-events.ts"

/** Text as it streams in, on its way to the event log. Showing it may fail without failing the turn. */
export interface DeltaStream {
  push(delta: ModelDelta): void
  /** Text received so far, without reasoning. */
  text(): string
  /** Writes what is left; resolves when everything is in the log or could not be written. */
  end(): Promise<void>
}

export const createDeltaStream = (
  streamed: StreamedEvents,
  turn: { readonly sessionId: string; readonly runId: string; readonly seq: number; readonly attempt: number },
): DeltaStream => {
  const { sessionId, runId, seq, attempt } = turn
  let received = ""
  return {
    push({ type, text }) {
      if (text === "") return
      if (type === "text") received += text
      streamed.add(sessionId, {
        type: type === "text" ? "text-delta" : "reasoning-delta",
        runId,
        data: { seq, attempt, text },
      })
    },
    text: () => received,
    end: () => streamed.flush(sessionId),
  }
}
