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
 * Signals `host` to the open sessions of the tree, so that their activities go to a queue with a worker. Best effort: a session that does not get
 * the signal offers its work to the old queue first, and to every worker after a few seconds.
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
            logger.debug({ session_id: id, err: error }, "the host queue cannot be announced"),
          ),
      ),
    )
  }
}
