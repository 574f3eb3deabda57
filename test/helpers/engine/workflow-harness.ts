import type { Client } from "@temporalio/client"
import { inject } from "vitest"
import { type Harness, type HarnessOptions, openHarnessAt } from "./open-harness-at.ts"
import { fetchHistories } from "./replay.ts"
import { replayLater } from "./replay-later.ts"

export type { Harness, HarnessOptions } from "./open-harness-at.ts"
export { replay } from "./replay.ts"

/** Opens a harness on the Temporal server that all tests of the project share. */
export const openHarness = (options: HarnessOptions): Promise<Harness> =>
  openHarnessAt(inject("temporalAddress"), options, replayLater)

/** Queues the workflows' histories for replay at the end of the test file. */
export const replayHistories = async (temporal: Client, workflowIds: readonly string[]): Promise<void> =>
  replayLater(await fetchHistories(temporal, workflowIds))
