import type {
  AgentActivities,
  MachineActivities,
  ReconcileActivities,
  RunStoreActivities,
} from "./contract/agent-activities.ts"
import type { BindingActivities } from "./contract/binding-activities.ts"
import { createBindingActivities } from "./channels/create-binding-activities.ts"
import type { DeliveryActivities } from "./contract/delivery-activities.ts"
import { createDeliveryActivities } from "./delivery/deliver.ts"
import type { BlockedActivities } from "./contract/blocked-activities.ts"
import type { DelegationActivities } from "./contract/delegation-activities.ts"
import { createAnswerDelegation } from "./delegation/answer-delegation.ts"
import { createPrepareDelegation } from "./delegation/prepare-delegation.ts"
import { createSettleChild } from "./delegation/settle-child.ts"
import { createShowBlocked, createShowWaiting } from "./delegation/show-waiting.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"
import type { LaneActivities } from "./contract/lane-activities.ts"
import { createLaneActivities } from "./lane/lane-slots.ts"
import {
  createAttributeDecision,
  createAttributeMessages,
  createAuditOperatorSignals,
} from "./run/audit-operator-signals.ts"
import { createCompact } from "./compaction/compact.ts"
import { createCallModel } from "./model/call-model.ts"
import { requireOwnEngine } from "./require-own-engine.ts"
import { createCloseRun } from "./run/close-run.ts"
import { stopKey } from "./followed-calls.ts"
import { guardActivities } from "./guard-activities.ts"
import { createOpenPause, createRecordDecisions } from "./pause/open-pause.ts"
import { createFindElsewhere, createFindWorktree, onItsMachine } from "./run/placement.ts"
import { createStopBackground } from "./run/stop-background.ts"
import { createOpenRun } from "./run/open-run.ts"
import { createCheckEdits } from "./pause/check-edits.ts"
import { createPreviewCalls } from "./pause/preview-calls.ts"
import { createProposeCall } from "./tools/without-model/propose-call.ts"
import { outlastOutages } from "./outlast-outages.ts"
import { createReconcileSessions } from "./reconcile/reconcile-sessions.ts"
import { createRunHooks } from "./hooks/run-hooks.ts"
import type { ScheduleActivities } from "./contract/schedule-activities.ts"
import { createScheduleActivities } from "./schedules/scheduled-runs.ts"
import { createRunTool } from "./tools/run-tool.ts"
import { createSnapshotCache } from "./run/snapshot-cache.ts"
import { createCloseWorktree } from "./worktree/close-worktree.ts"
import { createOpenWorktree } from "./worktree/open-worktree.ts"
import type { WorktreeActivities } from "./contract/worktree-activities.ts"
import { createWriteResult } from "./tools/without-model/answer-row.ts"

export type { AgentDependencies } from "./agent-dependencies.ts"

/** Creates all activities that workflows call, over the dependencies of one worker. */
export const createActivities = (
  deps: AgentDependencies,
): AgentActivities &
  MachineActivities &
  RunStoreActivities &
  BlockedActivities &
  DelegationActivities &
  LaneActivities &
  DeliveryActivities &
  BindingActivities &
  WorktreeActivities &
  ScheduleActivities &
  ReconcileActivities => {
  const snapshotOf = createSnapshotCache(deps.store, deps.workerPolicy)
  // These activities keep their result during a store outage and retry only the write: it cost money, had side effects, or a person decided it. All others
  // are retried as a whole.
  const patient = { ...deps, store: outlastOutages(deps.store) }
  const readSnapshot = createSnapshotCache(patient.store, deps.workerPolicy)
  const findElsewhere = createFindElsewhere(patient)
  const findWorktree = createFindWorktree(patient)
  const requireEngine = (name: string): Promise<void> => requireOwnEngine(deps, name)
  return guardActivities(
    {
      callModel: onItsMachine(findElsewhere, createCallModel(patient, readSnapshot)),
      compact: onItsMachine(findElsewhere, createCompact(patient, readSnapshot)),
      runTool: onItsMachine(findElsewhere, createRunTool(patient, readSnapshot)),
      checkEdits: onItsMachine(findElsewhere, createCheckEdits(patient, readSnapshot)),
      previewCalls: onItsMachine(findElsewhere, createPreviewCalls(deps, snapshotOf)),
      runHooks: onItsMachine(findElsewhere, createRunHooks(patient, readSnapshot)),
      proposeCall: onItsMachine(findElsewhere, createProposeCall(deps, snapshotOf)),
      writeResult: createWriteResult(deps.store, snapshotOf),
      openRun: createOpenRun({ ...deps, findElsewhere }, snapshotOf),
      openPause: createOpenPause(deps),
      recordDecisions: createRecordDecisions(deps),
      requestStop: ({ runId }) => deps.store.stopRequests.add(stopKey(runId)),
      showBlocked: createShowBlocked(deps.store),
      closeRun: createCloseRun({ ...deps, findElsewhere }),
      stopBackground: createStopBackground(deps),
      openWorktree: onItsMachine(findWorktree, createOpenWorktree(patient, readSnapshot)),
      closeWorktree: onItsMachine(findWorktree, createCloseWorktree(patient, readSnapshot)),
      reachMachine: () => Promise.resolve(),
      auditOperatorSignals: createAuditOperatorSignals(deps),
      attributeDecision: createAttributeDecision(deps),
      attributeMessages: createAttributeMessages(deps),
      prepareDelegation: onItsMachine(findElsewhere, createPrepareDelegation(deps, snapshotOf)),
      answerDelegation: createAnswerDelegation(deps.store, snapshotOf),
      settleChild: createSettleChild(deps.store, deps.tracer),
      showWaiting: createShowWaiting(deps.store),
      ...createLaneActivities(deps),
      ...createDeliveryActivities(patient),
      ...createBindingActivities(deps),
      ...createScheduleActivities(deps),
      reconcileSessions: createReconcileSessions(deps, snapshotOf),
    },
    {
      before: requireEngine,
      within: (limitMs, work) => deps.store.within(limitMs, work),
      reportsProgress: ["reconcileSessions"],
    },
  )
}
