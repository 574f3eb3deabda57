import type { Client } from "@temporalio/client"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import type { Store } from "../../store/store.ts"

export interface AnnounceDependencies {
  readonly store: Pick<Store, "sessions">
  readonly temporal: { readonly workflow: Pick<Client["workflow"], "getHandle"> }
  readonly logger: { debug(details: object, message: string): void }
}

const pageSize = 200

/**
 * Signals `host` to the tree's open sessions, so that their activities go to a queue that somebody serves. Best effort: a session that does not
 * hear of it offers its work to the old queue first and to everyone after a few seconds.
 */
export const announceHost = async (
  { store, temporal, logger }: AnnounceDependencies,
  rootId: string,
  queue: string | null,
): Promise<void> => {
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Store["sessions"]["list"]>> = await store.sessions.list({
      rootId,
      limit: pageSize,
      ...(cursor === null ? {} : { cursor }),
    })
    const openIds = page.items.filter((row) => !isFinal(row.status)).map((row) => row.id)
    await Promise.all(
      openIds.map((id) =>
        temporal.workflow
          .getHandle(sessionWorkflowId(id))
          .signal("host", { queue })
          .catch((error: unknown) =>
            logger.debug({ session_id: id, err: error }, "the host queue could not be announced"),
          ),
      ),
    )
    cursor = page.nextCursor
  } while (cursor !== null)
}
