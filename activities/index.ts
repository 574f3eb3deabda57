import type { AgentActivities, ReconcileActivities, RecordActivities } from "./contract/agent-activities.ts"
import type { BindingActivities } from "./contract/binding-activities.ts"
import { createBindingActivities } from "./channels/create-binding-activities.ts"
import type { DeliveryActivities } from "./contract/delivery-activities.ts"
import { createDeliveryActivities } from "./delivery/deliver.ts"
import type { DelegationActivities } from "./contract/delegation-activities.ts"
import { createAnswerDelegation } from "./delegation/answer-delegation.ts"
import { createPrepareDelegation } from "./delegation/prepare-delegation.ts"
import { createSettleChild } from "./delegation/settle-child.ts"
import { createShowWaiting } from "./delegation/show-waiting.ts"
import type { AgentDependencies } from "./agent-dependencies.ts"
import type { LaneActivities } from "./contract/lane-activities.ts"
import { createLaneActivities } from "./lane/lane-slots.ts"
import { createAttributeDecision, createAuditOperatorSignals } from "./run/audit-operator-signals.ts"
import { createCallBridge } from "./tools/call-bridge.ts"
import { createCallModel } from "./model/call-model.ts"
import { requireOwnEngine } from "./require-own-engine.ts"
import { createCloseRun } from "./run/close-run.ts"
import { stopKey } from "./followed-calls.ts"
import { guardActivities } from "./guard-activities.ts"
import { createOpenPause, createRecordDecisions } from "./run/open-pause.ts"
import { createOpenRun } from "./run/open-run.ts"
import { createPreviewCalls } from "./tools/preview-calls.ts"
import { createProposeCall } from "./tools/propose-call.ts"
import { outlastOutages } from "./outlast-outages.ts"
import { createReconcileSessions } from "./reconcile/reconcile-sessions.ts"
import { createRunBinary } from "./tools/run-binary.ts"
import { createRunHooks } from "./hooks/run-hooks.ts"
import { createRunTool } from "./tools/run-tool.ts"
import { createSnapshotCache } from "./run/snapshot-cache.ts"
import { createWriteResult } from "./tools/run-result.ts"

export type { AgentDependencies } from "./agent-dependencies.ts"

/** Creates all activities that workflows call, over the dependencies of one worker. */
export const createActivities = (
  deps: AgentDependencies,
): AgentActivities &
  RecordActivities &
  DelegationActivities &
  LaneActivities &
  DeliveryActivities &
  BindingActivities &
  ReconcileActivities => {
  const snapshotOf = createSnapshotCache(deps.store)
  // What they got was paid for, or took effect: they keep it while the store is away. All others are retried as a whole.
  const patient = { ...deps, store: outlastOutages(deps.store) }
  const readSnapshot = createSnapshotCache(patient.store)
  const requireEngine = (name: string): Promise<void> => requireOwnEngine(deps, name)
  return guardActivities(
    {
      callModel: createCallModel(patient, readSnapshot),
      runTool: createRunTool(patient, readSnapshot),
      previewCalls: createPreviewCalls(deps, snapshotOf),
      runBinary: createRunBinary(patient, readSnapshot),
      callBridge: createCallBridge(patient, readSnapshot),
      runHooks: createRunHooks(patient, readSnapshot),
      proposeCall: createProposeCall(deps, snapshotOf),
      writeResult: createWriteResult(deps.store, snapshotOf),
      openRun: createOpenRun(deps, snapshotOf),
      openPause: createOpenPause(deps),
      recordDecisions: createRecordDecisions(deps),
      requestStop: ({ runId }) => deps.store.stopRequests.add(stopKey(runId)),
      closeRun: createCloseRun(deps),
      auditOperatorSignals: createAuditOperatorSignals(deps),
      attributeDecision: createAttributeDecision(deps),
      prepareDelegation: createPrepareDelegation(deps, snapshotOf),
      answerDelegation: createAnswerDelegation(deps.store),
      settleChild: createSettleChild(deps.store),
      showWaiting: createShowWaiting(deps.store),
      ...createLaneActivities(deps),
      ...createDeliveryActivities(patient),
      ...createBindingActivities(deps),
      reconcileSessions: createReconcileSessions(deps, snapshotOf),
    },
    requireEngine,
  )
}
