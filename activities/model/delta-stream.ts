import type { ModelDelta } from "../../models/model-provider.ts"
import type { NewEvent } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Text as it is streamed, on its way to the event log. Showing it may fail without failing the turn. */
export interface DeltaStream {
  push(delta: ModelDelta): void
  /** Text received so far, without reasoning. */
  text(): string
  /** Writes what is left; resolves when everything is in the log or could not be written. */
  end(): Promise<void>
  /** Returns what is left, and what else is queued for the session, for the transaction that writes the answer. */
  take(): Promise<readonly NewEvent[]>
}

/**
 * Creates the stream of one turn. Secrets are redacted before anything is stored: the end of a text that may become a secret with what follows is
 * held back until it is clear.
 */
export const createDeltaStream = (
  { streamed, redact }: Pick<AgentDependencies, "streamed" | "redact">,
  turn: { readonly sessionId: string; readonly runId: string; readonly seq: number; readonly attempt: number },
): DeltaStream => {
  const { sessionId, runId, seq, attempt } = turn
  let received = ""
  let held: ModelDelta = { type: "text", text: "" }

  const write = (text: string): void => {
    if (text === "") return
    const type = held.type === "text" ? "text-delta" : "reasoning-delta"
    streamed.add(sessionId, { type, runId, data: { seq, attempt, text: redact(text) } })
  }
  const writeHeld = (): void => {
    write(held.text)
    held = { ...held, text: "" }
  }

  return {
    push({ type, text }) {
      if (text === "") return
      if (type === "text") received += text
      if (type !== held.type) {
        writeHeld()
        held = { type, text: "" }
      }
      const all = held.text + text
      const settled = redact.settledLength?.(all) ?? all.length
      write(all.slice(0, settled))
      held = { type, text: all.slice(settled) }
    },
    text: () => received,
    end() {
      writeHeld()
      return streamed.flush(sessionId)
    },
    take() {
      writeHeld()
      return streamed.take(sessionId)
    },
  }
}
