import type { SessionRow, Store } from "../../store/store.ts"

const rowsLookedAt = 200

/** The last text of the model in this run. */
export const lastText = async (store: Pick<Store, "messages">, row: SessionRow, runId: string): Promise<string> => {
  const fromSeq = Math.max(0, row.headSeq - rowsLookedAt)
  const rows = await store.messages.read(row.id, { fromSeq, headSeq: row.headSeq })
  for (const { message, runId: owner } of rows.toReversed()) {
    if (owner !== runId || message.role !== "assistant") continue
    const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
    if (text !== "") return text
  }
  return ""
}
