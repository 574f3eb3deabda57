import type { SessionFilter, SessionRow, Store } from "../../store/store.ts"

export interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}

const pageSize = 200

/** Yields all sessions that match a filter, newest first, page by page. */
export async function* sessionPages(
  { sessions }: { readonly sessions: Pick<Store["sessions"], "list"> },
  filter: Omit<SessionFilter, "limit" | "cursor">,
): AsyncGenerator<readonly SessionRow[], void, undefined> {
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Store["sessions"]["list"]>> = await sessions.list({
      ...filter,
      limit: pageSize,
      ...(cursor === null ? {} : { cursor }),
    })
    yield page.items
    cursor = page.nextCursor
  } while (cursor !== null)
}
