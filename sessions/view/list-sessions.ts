import type { Session } from "../../contracts/session.ts"
import type { SessionFilter } from "../../store/store.ts"
import type { Page } from "./page.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { sessionView } from "./session-view.ts"

/** Which sessions a list contains; `cursor` is the `next_cursor` of the previous page. */
export interface ListFilter extends Pick<SessionFilter, "status" | "agent" | "caller" | "limit" | "cursor"> {
  readonly parent?: string
  readonly root?: string
}

/** Returns sessions, newest first, without asking the engine. */
export const listSessions = async (context: SessionsContext, filter: ListFilter): Promise<Page<Session>> => {
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
