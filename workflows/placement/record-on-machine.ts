import type { RecordActivities } from "../../activities/contract/agent-activities.ts"
import type { DelegationActivities } from "../../activities/contract/delegation-activities.ts"
import { elsewhereOf } from "../../domain/engine/elsewhere.ts"
import { machineRecordOptions } from "../activity-options.ts"
import type { SessionContext } from "../session/session-context.ts"
import { record } from "../record-activities.ts"
import { executeOnWorker } from "./execute-on-worker.ts"

type Records = Pick<RecordActivities, "proposeCall"> & Pick<DelegationActivities, "prepareDelegation">

/** Runs a record that reads the session's files: inside the workflow task where its worker can, or else on the machine that has them. */
export const recordOnMachine = async <Result>(
  context: SessionContext,
  summary: string,
  call: (activities: Records) => Promise<Result>,
): Promise<Result> => {
  if (context.state.machine == null) {
    const result = await call(record)
    if (elsewhereOf(result) === undefined) return result
  }
  return executeOnWorker(context, { options: machineRecordOptions, summary }, call)
}
