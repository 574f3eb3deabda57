import type { Store } from "../../store/store.ts"
import type { RecordActivities } from "../contract/agent-activities.ts"
import { writeOutbox } from "./write-outbox.ts"

/** Some calls of a pause were decided and others still wait: the store shows only those. */
export const createRecordDecisions =
  (store: Pick<Store, "pauses" | "transaction">): RecordActivities["recordDecisions"] =>
  async (input) => {
    await store.pauses.setCalls(input.sessionId, input.checkpointId, input.remainingCallIds)
    await writeOutbox(store, input, input.outbox)
  }
