import { promiseHooks } from "node:v8"

/**
 * Workflows run in the test's own thread, where the SDK records a stack for each promise, also for those of stores, servers and tests: a third of their
 * processor time. Only the query for a stack trace reads these stacks. In production, workflows have a thread of their own.
 */
promiseHooks.createHook = () => () => undefined
