import { ActivityCancellationType, type ActivityOptions, type LocalActivityOptions } from "@temporalio/workflow"
import { outagePolicy } from "../domain/engine/outage-policy.ts"
import type { RunTiming } from "../contracts/config/timing.ts"

/** A cancelled activity has stopped what it started before the workflow continues: no orphan outlives a cancel. */
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED

/** The activity says itself how long to wait after a provider's error; after a worker's death the next try comes at once. */
const atOnce = { initialInterval: 100, backoffCoefficient: 1 }

/** A call ends at its own limit, which does not count while its machine sleeps. The engine's clock does. */
const engineLimitMs = 86_400_000

/** The attempts that are left of so many. */
const attemptsLeft = (attempts: number, failedAttempts: number): number => Math.max(1, attempts - failedAttempts)

/** Returns options of a model call. `failedAttempts`: those that the same call has used up in earlier activities. */
export const modelOptions = (timing: RunTiming, failedAttempts = 0): ActivityOptions => ({
  startToCloseTimeout: Math.max(engineLimitMs, 2 * timing.modelTimeoutMs),
  heartbeatTimeout: timing.heartbeatTimeoutMs,
  cancellationType,
  retry: { ...atOnce, maximumAttempts: attemptsLeft(timing.modelAttempts, failedAttempts) },
})

/** Attempts of a call whose provider was unavailable before: the run itself repeats it. More than one, since a worker can die. */
const attemptsAfterOutage = 3

export const modelRetryOptions = (timing: RunTiming, failedAttempts = 0): ActivityOptions => ({
  ...modelOptions(timing),
  retry: {
    ...atOnce,
    maximumAttempts: attemptsLeft(Math.min(attemptsAfterOutage, timing.modelAttempts), failedAttempts),
  },
})

/** Retries are safe: a call that was claimed and is not repeatable does not run again. */
export const toolOptions = (timing: RunTiming): ActivityOptions => ({
  startToCloseTimeout: Math.max(engineLimitMs, 2 * timing.toolTimeoutMs),
  heartbeatTimeout: timing.heartbeatTimeoutMs,
  cancellationType,
  retry: { ...atOnce, maximumInterval: 5_000, backoffCoefficient: 2, maximumAttempts: 10 },
})

/** Returns options for the previews of pending calls: read-only, and not worth a long wait, since the pause opens without them, too. */
export const previewOptions = (timing: RunTiming): ActivityOptions => ({
  startToCloseTimeout: 60_000,
  heartbeatTimeout: timing.heartbeatTimeoutMs,
  cancellationType,
  retry: { ...atOnce, maximumAttempts: 3 },
})

/**
 * Returns options for the check of arguments that a person has given: read-only. It waits for the store as long as it takes, since otherwise the
 * decision would be refused.
 */
export const editOptions = (timing: RunTiming): ActivityOptions => ({
  ...previewOptions(timing),
  startToCloseTimeout: engineLimitMs,
})

/**
 * Returns options for one attempt inside the workflow task. After a failure, the second attempt is a separate activity. Messages to the session
 * wait.
 */
export const quickToolOptions = (timing: RunTiming): LocalActivityOptions => ({
  scheduleToCloseTimeout: timing.quickToolMs,
  cancellationType,
  retry: { maximumAttempts: 1 },
})

/** Returns options whose timeout is longer than the limit of the program or call, so that its own limit ends it. */
export const executionOptions = (timing: RunTiming, limitMs: number): ActivityOptions => ({
  ...toolOptions(timing),
  startToCloseTimeout: limitMs + engineLimitMs,
})

/** Returns options for hooks. Each hook has its own limit. If a worker dies, they are repeated, so that hooks run at least once per run. */
export const hookOptions = (timing: RunTiming): ActivityOptions => ({
  ...toolOptions(timing),
  startToCloseTimeout: engineLimitMs,
  retry: { ...atOnce, maximumAttempts: 3 },
})

/** Returns options for creating a worktree and for its end: both copy or read all files of a repository, and can be repeated. */
export const worktreeOptions = (timing: RunTiming): ActivityOptions => ({
  ...toolOptions(timing),
  startToCloseTimeout: 900_000,
  retry: { ...atOnce, maximumInterval: 5_000, backoffCoefficient: 2, maximumAttempts: 5 },
})

/** Writes to the store: short and repeatable. A worker has 40 slots for workflow tasks, so one that fails does not stay in its slot. */
export const storeOptionsInTask: LocalActivityOptions = {
  startToCloseTimeout: 10_000,
  retry: { initialInterval: 100, backoffCoefficient: 2, maximumAttempts: outagePolicy.triesInTask },
  cancellationType,
}

/** Store activities that also read the session's files, on the machine that has them. */
export const storeOptionsOnMachine: ActivityOptions = {
  startToCloseTimeout: 60_000,
  retry: {
    initialInterval: outagePolicy.firstRetryMs,
    backoffCoefficient: outagePolicy.backoffCoefficient,
    maximumInterval: outagePolicy.longestRetryMs,
  },
  cancellationType,
}

/** Returns options of a merge: it changes files as a tool does, can take minutes, and is repeated like a store activity until its answer is written. */
export const mergeOptions = (timing: RunTiming): ActivityOptions => ({
  ...storeOptionsOnMachine,
  startToCloseTimeout: 900_000,
  heartbeatTimeout: timing.heartbeatTimeoutMs,
})

/** A question whether a worker of a machine is there. Nothing has to be stopped when it is no longer asked. */
export const reachOptions: ActivityOptions = {
  startToCloseTimeout: 10_000,
  cancellationType: ActivityCancellationType.TRY_CANCEL,
  retry: { initialInterval: 1_000, backoffCoefficient: 1 },
}

/** The processes of a session on another machine than that of its outcome. They have their own grace time. */
export const stopBackgroundOptions: ActivityOptions = {
  startToCloseTimeout: 60_000,
  cancellationType,
  retry: { initialInterval: 1_000, backoffCoefficient: 1, maximumAttempts: 3 },
}

/** The same writes as ordinary activities, repeated until they succeed: nothing may be lost to a full disk. */
export const delayedStoreOptions: ActivityOptions = { ...storeOptionsOnMachine, scheduleToStartTimeout: 5_000 }
