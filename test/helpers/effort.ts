import { describe } from "vitest"

/**
 * Whether `npm run test:deep` runs the tests. Property tests then try more examples, and lists of cases run in
 * full.
 */
export const isDeep = process.env["ADJUTANT_TEST_DEEP"] === "true"

/** Defines slow tests that run only under `npm run test:deep`. */
export const describeInDeepRun: (name: string, define: () => void) => void = isDeep ? describe : () => undefined
