import { ActivityFailure, TimeoutFailure } from "@temporalio/workflow"

/** Returns whether an activity failed because no worker took it from its queue in time. */
export const isNotPickedUp = (error: unknown): boolean =>
  error instanceof ActivityFailure &&
  error.cause instanceof TimeoutFailure &&
  error.cause.timeoutType === "SCHEDULE_TO_START"
