import type { SessionRow, Store } from "../../store/store.ts"

const pageSize = 200

/** Reads the sessions that match, page by page. */
export async function* sessionPages(
  { sessions }: { readonly sessions: Pick<Store["sessions"], "list"> },
  filter: Omit<Parameters<Store["sessions"]["list"]>[0], "limit" | "cursor">,
): AsyncGenerator<readonly SessionRow[]> {
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
