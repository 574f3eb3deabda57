import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { MessageRow, Store, StoredMedia } from "../../store/store.ts"
import { requireSession } from "../rows/require-session.ts"

/** Returns rows of the transcript after `afterSeq`, in order, at most `limit`. */
export const readTranscript = async (
  store: Pick<Store, "sessions" | "messages">,
  sessionId: string,
  range: { readonly afterSeq?: number; readonly limit?: number } = {},
): Promise<readonly MessageRow[]> => {
  const { id, headSeq } = await requireSession(store, sessionId)
  const fromSeq = (range.afterSeq ?? 0) + 1
  if (range.limit === undefined) return await store.messages.read(id, { fromSeq, headSeq })
  const rows: MessageRow[] = []
  // Sequence numbers may have gaps, such as for calls that never ran.
  for (let from = fromSeq; from <= headSeq && rows.length < range.limit; from += range.limit)
    rows.push(...(await store.messages.read(id, { fromSeq: from, headSeq: Math.min(headSeq, from + range.limit - 1) })))
  return rows.slice(0, range.limit)
}

/** Returns an image or a PDF that a tool of the session returned. @throws AdjutantError `session_not_found`, `media_not_found` */
export const readToolMedia = async (
  store: Pick<Store, "sessions" | "media">,
  sessionId: string,
  mediaId: string,
): Promise<StoredMedia> => {
  const { id } = await requireSession(store, sessionId)
  const [found] = await store.media.read(id, [mediaId])
  if (found !== undefined) return found
  throw new AdjutantError(
    "media_not_found",
    `session ${id} has no image or PDF ${mediaId}: look at the media of its tool results for the ids`,
  )
}
