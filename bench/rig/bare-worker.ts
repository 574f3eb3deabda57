import { randomUUID } from "node:crypto"
import { fileURLToPath } from "node:url"
import { Client, Connection, type WorkflowHandle } from "@temporalio/client"
import { bundleWorkflowCode, NativeConnection, Worker } from "@temporalio/worker"
import { createBareActivities } from "../bare/bare-activities.ts"
import { createTally, type Tally } from "../figures/tally.ts"

/** A worker in this process for workflows that use only the engine. */
export interface BareWorker {
  readonly temporal: Client
  /** Counts the activities that an update let run. */
  readonly approvals: Tally
  start(workflowType: BareWorkflow, args: readonly unknown[]): Promise<WorkflowHandle>
  close(): Promise<void>
}

export type BareWorkflow =
  | "emptySteps"
  | "oneActivity"
  | "oneActivityAfterUpdate"
  | "recordedActivityAfterUpdate"
  | "twoActivitiesAfterUpdate"

const silent = () => undefined
const silentLogger = { log: silent, trace: silent, debug: silent, info: silent, warn: silent, error: silent }

let bundle: Promise<{ code: string }> | undefined

export const bareBundle = (): Promise<{ code: string }> => {
  bundle ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL("../bare/bare-workflows.ts", import.meta.url)),
    logger: silentLogger,
  })
  return bundle
}

/** Opens a worker with the engine's defaults. */
export const openBareWorker = async ({ address }: { readonly address: string }): Promise<BareWorker> => {
  const taskQueue = `bare-${randomUUID()}`
  const connection = await Connection.connect({ address })
  const native = await NativeConnection.connect({ address })
  const temporal = new Client({ connection })
  const approvals = createTally()
  const worker = await Worker.create({
    connection: native,
    taskQueue,
    workflowBundle: await bareBundle(),
    activities: createBareActivities(approvals),
  })
  const ended = worker.run()
  return {
    temporal,
    approvals,
    start: (workflowType, args) =>
      temporal.workflow.start(workflowType, { taskQueue, workflowId: `bare/${randomUUID()}`, args: [...args] }),
    async close() {
      worker.shutdown()
      await ended
      await native.close()
      await connection.close()
    },
  }
}
