import { describe } from "vitest"

/**
 * Whether `npm run test:full` runs the tests. Property tests then try more examples, and lists of cases run in
 * full.
 */
export const isFull = process.env["ADJUTANT_TEST_FULL"] === "true"

/** Defines slow tests that run only under `npm run test:full`. */
export const describeInFullRun: (name: string, define: () => void) => void = isFull ? describe : () => undefined
