import type { ModelDelta } from "../../models/model-provider.ts"
import type { EventLog, NewEvent } from "../../store/store.ts"

const flushAfterMs = 40
const flushAfterCharacters = 4_000

/** Text as it streams in, on its way to the event log in small batches. Showing it may fail without failing the turn. */
export interface DeltaStream {
  push(delta: ModelDelta): void
  /** Text received so far, without reasoning. */
  text(): string
  /** Writes what is left; resolves when everything is in the log. */
  end(): Promise<void>
}

export const createDeltaStream = (
  events: Pick<EventLog, "append">,
  turn: { readonly sessionId: string; readonly runId: string; readonly seq: number; readonly attempt: number },
  onFailure: (error: unknown) => void,
): DeltaStream => {
  let waiting: ModelDelta[] = []
  let text = ""
  let characters = 0
  let timer: NodeJS.Timeout | undefined
  let chain: Promise<unknown> = Promise.resolve()

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0) return
    const batch = joinNeighbours(waiting).map((delta): NewEvent => ({
      type: delta.type === "text" ? "text-delta" : "reasoning-delta",
      runId: turn.runId,
      data: { seq: turn.seq, attempt: turn.attempt, text: delta.text },
    }))
    waiting = []
    characters = 0
    chain = chain.then(() => events.append(turn.sessionId, batch)).catch(onFailure)
  }

  return {
    push(delta) {
      if (delta.text === "") return
      waiting.push(delta)
      if (delta.type === "text") text += delta.text
      characters += delta.text.length
      if (characters >= flushAfterCharacters) flush()
      else timer ??= setTimeout(flush, flushAfterMs)
    },
    text: () => text,
    async end() {
      flush()
      await chain
    },
  }
}

const joinNeighbours = (deltas: readonly ModelDelta[]): readonly ModelDelta[] => {
  const joined: { type: ModelDelta["type"]; text: string }[] = []
  for (const delta of deltas) {
    const last = joined.at(-1)
    if (last?.type === delta.type) last.text += delta.text
    else joined.push({ ...delta })
  }
  return joined
}
