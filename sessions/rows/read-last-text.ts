import { lastText } from "../../domain/transcript/last-text.ts"
import type { MessageRow, Store } from "../../store/store.ts"

/** Number of rows that are searched for the last text. */
const maxRows = 500

/** Returns the last rows of a session's transcript, at most 501 of them, in order. */
export const readLastRows = async (
  store: Pick<Store, "messages">,
  { sessionId, headSeq }: { readonly sessionId: string; readonly headSeq: number },
): Promise<readonly MessageRow[]> =>
  await store.messages.read(sessionId, { fromSeq: Math.max(1, headSeq - maxRows), headSeq })

/** Returns the last text of the model in a run; empty if there is none. */
export const readLastText = async (
  store: Pick<Store, "messages">,
  run: { readonly sessionId: string; readonly runId: string; readonly headSeq: number },
): Promise<string> => lastText(await readLastRows(store, run), run.runId)
