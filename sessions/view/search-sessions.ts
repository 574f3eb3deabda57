import { setImmediate as letOthersWork } from "node:timers/promises"
import type { SearchAnswer, SearchHit } from "../../contracts/http/sessions.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { excerptOf, findInMessage } from "../../domain/transcript/find-in-message.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { sessionPages } from "../rows/page.ts"

export interface SearchRequest {
  readonly q: string
  /** Default: 30. */
  readonly limit?: number | undefined
}

/** How much is looked at: a text that is nowhere would otherwise read the whole store. */
export interface SearchBounds {
  readonly sessions: number
  readonly ms: number
}

type Context = Pick<SessionsContext, "store" | "redact">

const defaultLimit = 30
/** Each session gives a few places: the others get some, too. */
const mostPerSession = 3
/** Some of them contain the text only in names of fields, such as `role`. */
const mostRows = 100

const hitOf = (row: SessionRow): Omit<SearchHit, "kind" | "excerpt"> => ({
  session_id: row.id,
  agent: row.agent,
  title: row.title,
  label: row.label,
  status: row.status,
  seq: null,
  call_id: null,
  tool: null,
  at: row.createdAt,
})

const nameHits = async ({ store }: Context, q: string, limit: number): Promise<readonly SearchHit[]> => {
  const { items } = await store.sessions.list({ q, limit, includeArchived: true })
  return items.map((row) => ({
    ...hitOf(row),
    kind: "name",
    excerpt: [row.label, row.title, row.id].find((text) => excerptOf(text ?? "", q) !== undefined) ?? row.id,
  }))
}

const fileHits = async ({ store }: Context, row: SessionRow, q: string): Promise<readonly SearchHit[]> =>
  [...(await store.touchedFiles.written(row.id)).keys()]
    .filter((path) => excerptOf(path, q) !== undefined)
    .slice(0, mostPerSession)
    .map((path) => ({ ...hitOf(row), kind: "file", excerpt: path }))

/** Redacts a message before it is searched: a secret cannot be guessed letter by letter. */
const textHits = async ({ store, redact }: Context, row: SessionRow, q: string): Promise<readonly SearchHit[]> => {
  const hits = (await store.messages.containing(row.id, q, mostRows))
    .filter(({ seq }) => seq <= row.headSeq)
    .flatMap(({ seq, at, message }) =>
      findInMessage(redactTexts(message, redact), q).map(({ kind, callId, tool, excerpt }) => ({
        ...hitOf(row),
        ...{ kind, seq, call_id: callId, tool, excerpt, at },
      })),
    )
  // The same lines again, such as of a list of files, say nothing more.
  return hits
    .filter(({ excerpt }, index) => hits.findIndex((other) => other.excerpt === excerpt) === index)
    .slice(0, mostPerSession)
}

/**
 * Returns where sessions contain a text, in upper or lower case: in their names first, then in the files that they changed and in their transcripts, the
 * newest session first. It stops at the limit, after the newest sessions, or when its time has ended, and says whether it has looked at everything.
 */
export const searchSessions = async (
  context: Context,
  { q, limit = defaultLimit }: SearchRequest,
  bounds: SearchBounds = { sessions: 5_000, ms: 3_000 },
): Promise<SearchAnswer> => {
  const items = [...(await nameHits(context, q, limit))]
  const untilMs = performance.now() + bounds.ms
  let left = bounds.sessions
  const answer = (isComplete: boolean): SearchAnswer => ({
    items: items.slice(0, limit),
    next_cursor: null,
    is_complete: isComplete,
  })
  for await (const page of sessionPages(context.store, { includeArchived: true }))
    for (const row of page) {
      if (left === 0 || items.length >= limit || performance.now() >= untilMs) return answer(false)
      left -= 1
      items.push(...(await fileHits(context, row, q)), ...(await textHits(context, row, q)))
      await letOthersWork()
    }
  return answer(items.length <= limit)
}
