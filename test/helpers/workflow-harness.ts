import { inject } from "vitest"
import { type Harness, type HarnessOptions, openHarnessAt } from "./open-harness-at.ts"

export { type Harness, type HarnessOptions, replay, replayHistories } from "./open-harness-at.ts"

/** A harness on the Temporal server that all tests of the project share. */
export const openHarness = (options: HarnessOptions): Promise<Harness> =>
  openHarnessAt(inject("temporalAddress"), options)
