import type { Session } from "../contracts/session.ts"
import type { AdjutantClient, Page } from "./adjutant-client.ts"
import type { ClientContext } from "./client-context.ts"
import { sessionView } from "./session-view.ts"

type ListFilter = Parameters<AdjutantClient["list"]>[0]

/** Newest first, from rows alone. */
export const listSessions = async (context: ClientContext, filter: ListFilter): Promise<Page<Session>> => {
  const { parent, root, ...rest } = filter
  const { items, nextCursor } = await context.store.sessions.list({
    ...rest,
    ...(parent === undefined ? {} : { parentId: parent }),
    ...(root === undefined ? {} : { rootId: root }),
  })
  const shown = items.filter((row) => row.deletedAt === null)
  return {
    items: await Promise.all(shown.map((row) => sessionView(context.store, row))),
    next_cursor: nextCursor,
  }
}
