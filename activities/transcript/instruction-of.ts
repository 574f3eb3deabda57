import type { MessageRow, SessionRow, Store } from "../../store/store.ts"
import type { RunScope } from "../contract/run-scope.ts"
import { answerText } from "../../domain/transcript/last-text.ts"

/** What a run was asked, and what its agent should know besides. */
export interface Instruction {
  readonly task: string
  readonly context: string
}

const maxContextCharacters = 200_000
const readRows = 2_000

const ofMetadata = (context: unknown): string => {
  if (context === undefined || context === null) return ""
  if (typeof context === "string") return context
  if (!Array.isArray(context)) return JSON.stringify(context)
  return context
    .map((part: unknown) =>
      typeof part === "object" && part !== null && "name" in part && "content" in part
        ? `# ${String(part.name)}\n${String(part.content)}`
        : JSON.stringify(part),
    )
    .join("\n\n")
}

const conversation = (rows: readonly MessageRow[]): string =>
  rows
    .flatMap(({ message }) => {
      if (message.role === "user") return message.source === "compaction" ? [] : [`User: ${message.text}`]
      const text = message.role === "assistant" ? answerText(message) : ""
      return text === "" ? [] : [`Agent: ${text}`]
    })
    .join("\n\n")

const isInstruction = ({ message }: MessageRow): boolean =>
  message.role === "user" && message.source !== "notice" && message.source !== "compaction"

/**
 * Returns the instruction of a run from the transcript, with the contexts of the session (`metadata.context`) and of the run and, for later
 * runs, the earlier conversation. A long context is cut at its start.
 */
export const instructionOf = async (
  { messages }: Pick<Store, "messages">,
  session: Pick<SessionRow, "metadata">,
  run: RunScope & { readonly headSeq: number; readonly context?: string | undefined },
): Promise<Instruction> => {
  const rows = await messages.read(run.sessionId, {
    fromSeq: Math.max(1, run.headSeq - readRows),
    headSeq: run.headSeq,
  })
  const own = rows.filter((row) => row.runId === run.runId && isInstruction(row))
  const task = own.map(({ message }) => (message.role === "user" ? message.text : "")).join("\n\n")
  const parts = [
    ofMetadata(session.metadata["context"]),
    run.context ?? "",
    conversation(rows.filter((row) => row.runId !== run.runId)),
  ]
  return {
    task,
    context: parts
      .filter((part) => part !== "")
      .join("\n\n")
      .slice(-maxContextCharacters),
  }
}
