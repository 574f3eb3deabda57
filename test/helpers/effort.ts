import { describe } from "vitest"

/** Whether `npm run test:full` runs the tests: property tests then try more, and every case of a long list is tried. */
export const isFull = process.env["ADJUTANT_TEST_FULL"] === "true"

/** Defines tests that take long by their nature: only `npm run test:full` has them. */
export const describeFully: (name: string, define: () => void) => void = isFull ? describe : () => undefined
