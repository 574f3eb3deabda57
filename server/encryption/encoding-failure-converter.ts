import { DefaultFailureConverter } from "@temporalio/common"

/** Puts the message and the stack of activities' errors into a payload, which is encrypted. A worker with encryption loads it by its path. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
