import type { Session } from "../../contracts/session/session.ts"
import type { Status } from "../../contracts/status.ts"
import type { SessionFilter } from "../../store/store.ts"
import type { Page } from "../rows/page.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { sessionView } from "./session-view.ts"

/** Which sessions a list contains; `cursor` is the `next_cursor` of the previous page. */
export interface ListFilter extends Pick<
  SessionFilter,
  "status" | "agent" | "caller" | "archived" | "q" | "limit" | "cursor"
> {
  readonly parent?: string
  readonly root?: string
}

const storeFilter = ({ parent, root, ...rest }: ListFilter): SessionFilter => ({
  ...rest,
  ...(parent === undefined ? {} : { parentId: parent }),
  ...(root === undefined ? {} : { rootId: root }),
})

/** Returns sessions, newest first, without asking the engine. Lists omit archived sessions, unless they are asked for. */
export const listSessions = async (
  context: Pick<SessionsContext, "store" | "temporalUrl">,
  filter: ListFilter,
): Promise<Page<Session>> => {
  const { items, nextCursor } = await context.store.sessions.list(storeFilter(filter))
  const shown = items.filter((row) => row.deletedAt === null)
  return {
    items: await Promise.all(shown.map((row) => sessionView(context, row))),
    next_cursor: nextCursor,
  }
}

/** Returns the number of sessions by status that match a filter, regardless of its status and page. */
export const countSessions = async (
  { store }: Pick<SessionsContext, "store">,
  filter: ListFilter,
): Promise<Readonly<Record<Status, number>>> => {
  const { status: _status, limit: _limit, cursor: _cursor, ...rest } = storeFilter(filter)
  return await store.sessions.count(rest)
}
