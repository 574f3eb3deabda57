import type { RunStoreActivities } from "../../activities/contract/agent-activities.ts"
import type { DelegationActivities } from "../../activities/contract/delegation-activities.ts"
import { elsewhereOf } from "../../domain/engine/elsewhere.ts"
import { storeOptionsOnMachine } from "../activity-options.ts"
import type { SessionContext } from "../session/session-context.ts"
import { storeActivities } from "../store-activities.ts"
import { executeOnWorker } from "./execute-on-worker.ts"

type StoreAndFiles = Pick<RunStoreActivities, "proposeCall"> & Pick<DelegationActivities, "prepareDelegation">

/** Calls a store activity that also reads the session's files: inside the workflow task if its worker has them, otherwise on the machine that has them. */
export const callWhereFilesAre = async <Result>(
  context: SessionContext,
  summary: string,
  call: (activities: StoreAndFiles) => Promise<Result>,
): Promise<Result> => {
  if (context.state.machine == null) {
    const result = await call(storeActivities)
    if (elsewhereOf(result) === undefined) return result
  }
  return executeOnWorker(context, { options: storeOptionsOnMachine, summary }, call)
}
