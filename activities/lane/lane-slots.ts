import { WorkflowNotFoundError } from "@temporalio/client"
import { laneWorkflowId } from "../../domain/engine/engine-names.ts"
import { type LaneInput, laneSignalNames } from "../../domain/lane/lane-message.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { LaneActivities } from "../contract/lane-activities.ts"
import { writeOutbox } from "../run/write-outbox.ts"

export const createLaneActivities = ({
  temporal,
  store,
}: Pick<AgentDependencies, "temporal" | "store">): LaneActivities => ({
  async acquireSlot({ taskQueue, request }) {
    const input: LaneInput = {}
    await temporal.workflow.signalWithStart("lane", {
      workflowId: laneWorkflowId(taskQueue),
      taskQueue,
      args: [input],
      signal: laneSignalNames.acquire,
      signalArgs: [request],
      workflowIdReusePolicy: "ALLOW_DUPLICATE",
      staticSummary: "how many sub-agents work at once, first in first out",
    })
  },

  async releaseSlot({ taskQueue, place }) {
    try {
      await temporal.workflow.getHandle(laneWorkflowId(taskQueue)).signal(laneSignalNames.release, place)
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error
    }
  },

  async showQueued({ outbox, ...scope }) {
    await writeOutbox(store, scope, outbox)
    await store.runs.patch(scope.runId, { status: "pending" })
    await store.sessions.patch(scope.sessionId, { status: "pending" })
  },
})
