import type { Client } from "@temporalio/client"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { sessionPages } from "../../sessions/view/page.ts"
import type { Store } from "../../store/store.ts"

export interface AnnounceDependencies {
  readonly store: Pick<Store, "sessions">
  readonly temporal: { readonly workflow: Pick<Client["workflow"], "getHandle"> }
  readonly logger: { debug(details: object, message: string): void }
}

/**
 * Signals `host` to the tree's open sessions, so that their activities go to a queue that somebody serves. Best effort: a session that does not
 * hear of it offers its work to the old queue first and to everyone after a few seconds.
 */
export const announceHost = async (
  { store, temporal, logger }: AnnounceDependencies,
  rootId: string,
  queue: string | null,
): Promise<void> => {
  for await (const page of sessionPages(store, { rootId })) {
    const openIds = page.filter((row) => !isFinal(row.status)).map((row) => row.id)
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
  }
}
