import { WorkflowNotFoundError } from "@temporalio/client"
import { ApplicationFailure } from "@temporalio/common"
import { laneWorkflowId } from "../../domain/engine/engine-names.ts"
import { startVerified } from "../../engine/start-verified.ts"
import { type LaneInput, laneSignalNames } from "../../domain/lane/lane-message.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { LaneActivities } from "../contract/lane-activities.ts"
import { writeOutbox } from "../transcript/write-outbox.ts"
import { findEndedHolders } from "./find-ended-holders.ts"
import { patchOwnRun } from "../transcript/activity-fence.ts"

export const createLaneActivities = ({
  temporal,
  engine,
  store,
}: Pick<AgentDependencies, "temporal" | "engine" | "store">): LaneActivities => ({
  async acquireSlot({ taskQueue, request, sessionRunId }) {
    const input: LaneInput = {}
    const run = await store.runs.get(sessionRunId)
    if (run === undefined)
      throw ApplicationFailure.nonRetryable(`run ${sessionRunId} is not in the store`, "storage_failed")
    await startVerified({ temporal, engine }, laneWorkflowId(taskQueue), () =>
      temporal.workflow.signalWithStart("lane", {
        workflowId: laneWorkflowId(taskQueue),
        taskQueue,
        args: [input],
        signal: laneSignalNames.acquire,
        signalArgs: [{ ...request, ticket: run.number }],
        workflowIdReusePolicy: "ALLOW_DUPLICATE",
        staticSummary: "limits how many sub-agents run at once; grants slots by ticket",
      }),
    )
  },

  async releaseSlot({ taskQueue, place }) {
    try {
      await temporal.workflow.getHandle(laneWorkflowId(taskQueue)).signal(laneSignalNames.release, place)
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    }
  },

  findEndedHolders({ holders }) {
    return findEndedHolders(temporal, holders)
  },

  async showQueued({ outbox, ...scope }) {
    await writeOutbox(store, scope, outbox)
    const { blockedBy } = (await store.sessions.get(scope.sessionId)) ?? { blockedBy: null }
    // Shown again after continue-as-new, it has waited since the first time.
    const since = blockedBy?.type === "lane" ? blockedBy.since : new Date().toISOString()
    const status = "pending"
    await patchOwnRun(store, {
      ...scope,
      run: { status },
      session: { status, blockedBy: { type: "lane", since } },
    })
  },
})
