import type { ModelPrompt } from "../../activities/model/model-prompt.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { type Cassette, type CassetteConversation, maxCassetteBytes } from "../../contracts/config/cassette.ts"
import type { Message } from "../../contracts/message.ts"
import { promptView } from "../../domain/compaction/prompt-view.ts"
import { workingDirectoryOf } from "../../domain/prompts/surroundings.ts"
import { withoutDirectory } from "../../domain/replay/recorded-directory.ts"
import { type Redact, redactTexts } from "../../domain/text/redact.ts"
import { requestPrint, type RequestPrint } from "../../models/cassette/request-print.ts"
import { descendantsOf } from "../../sessions/rows/session-tree.ts"
import { partWithoutOpaque } from "../../sessions/view/transcript-row.ts"
import type { Store } from "../../store/store.ts"
import { readRecording, type Recording } from "./read-recording.ts"
import { recordedPrompt } from "./recorded-prompt.ts"

const conversationOf = (recording: Recording, redact: Redact): CassetteConversation => {
  const { session, rows, turns } = recording
  const runIds = new Set(turns.map(({ runId }) => runId))
  const prompts = new Map(
    [...runIds].map((runId) => [runId, recordedPrompt(recording, recording.settingsOf(runId))] as const),
  )
  const promptOf = (runId: string): ModelPrompt => {
    const prompt = prompts.get(runId)
    if (prompt === undefined) throw new Error(`run ${runId} has no prompt`)
    return prompt
  }
  const printOf = (runId: string, messages: readonly Message[]): RequestPrint =>
    requestPrint({ ...promptOf(runId), messages }, redact)
  const directoryOf = (runId: string): string | undefined => workingDirectoryOf(promptOf(runId).systemPrompt)
  const spoken = rows.flatMap(({ message }) =>
    message.role === "user" && message.compaction !== undefined ? [] : [message],
  )
  return {
    task_id: session.id,
    agent: session.agent,
    messages: [...printOf(turns[0]?.runId ?? "", spoken).messages],
    turns: turns.map(({ runId, index, answer }) => {
      const { system, tools, all } = printOf(runId, promptView(rows.slice(0, index)).messages)
      const { parts, usage, stop } = redactTexts(answer, redact)
      const kept = withoutDirectory(parts.flatMap(partWithoutOpaque), directoryOf(runId))
      return { system, tools, messages: all, reply: { parts: kept, usage, stop } }
    }),
  }
}

/**
 * Returns the text of a cassette with the model turns of a session and of its sub-agents, without known secrets.
 * @throws AdjutantError `payload_too_large` if it would be larger than a cassette may be
 */
export const recordCassette = async (store: Store, sessionId: string, redact: Redact): Promise<string> => {
  const recording = await readRecording(store, sessionId)
  const conversations = [conversationOf(recording, redact)]
  for (const { id, stepsTaken } of await descendantsOf(store, recording.session))
    if (stepsTaken > 0) conversations.push(...(await conversationsBelow(store, id, redact)))
  const cassette: Cassette = { adjutant_cassette: 1, recorded_at: new Date().toISOString(), conversations }
  const text = `${JSON.stringify(cassette, null, 1)}\n`
  if (Buffer.byteLength(text) > maxCassetteBytes)
    throw new AdjutantError(
      "payload_too_large",
      `the recording of task ${sessionId} has more than ${maxCassetteBytes} bytes: record a shorter task`,
    )
  return text
}

/** A sub-agent that runs a program or a command has steps, but no model calls. */
const conversationsBelow = async (
  store: Store,
  id: string,
  redact: Redact,
): Promise<readonly CassetteConversation[]> => {
  const latest = await store.runs.latest(id)
  const snapshot = latest === undefined ? undefined : await store.snapshots.get(latest.snapshotHash)
  return snapshot?.type === "llm" ? [conversationOf(await readRecording(store, id), redact)] : []
}
