import type { Session } from "../../contracts/session/session.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../rows/require-session.ts"
import { descendantsOf } from "../rows/session-tree.ts"
import { notAsked, sessionView } from "./session-view.ts"
import { inspectSession } from "../engine/inspect-session.ts"

export interface SessionTree extends Session {
  readonly children: readonly SessionTree[]
}

/** Returns a session with its descendants, children oldest first. */
export const sessionTree = async (context: SessionsContext, sessionId: string): Promise<SessionTree> => {
  const { store } = context
  const { row, ...engine } = await inspectSession(context, await requireSession(store, sessionId))
  const below = await descendantsOf(store, row)
  const view = async (each: SessionRow): Promise<SessionTree> => ({
    ...(await sessionView(context, each, each.id === row.id ? engine : notAsked)),
    children: await Promise.all(below.filter((other) => other.parentId === each.id).map(view)),
  })
  return await view(row)
}
