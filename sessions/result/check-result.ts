import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { ReadResult } from "../../domain/transcript/read-result.ts"
import { checkInThread } from "./check-in-thread.ts"

const maxShownProblem = 1_000

/** Requires that the output schema of a run can be used. @throws AdjutantError `invalid_argument` */
export const requireOutputSchema = async ({ outputSchema }: Pick<RunSnapshot, "outputSchema">): Promise<void> => {
  if (outputSchema === undefined) return
  const { refusal } = await checkInThread({ schema: outputSchema, candidates: [] })
  if (refusal !== undefined)
    throw new AdjutantError(
      "invalid_argument",
      `the output schema cannot be used: ${refusal.slice(0, maxShownProblem)}`,
    )
}

/** Returns why a result does not validate against the run's output schema; undefined if it does, or if the run has none. */
export const resultProblem = async (
  { outputSchema }: Pick<RunSnapshot, "outputSchema">,
  result: ReadResult,
): Promise<string | undefined> => {
  if (outputSchema === undefined) return undefined
  if (result.candidates.length === 0) return "it is not JSON"
  const { problem, refusal } = await checkInThread({ schema: outputSchema, candidates: result.candidates })
  return (refusal ?? problem)?.slice(0, maxShownProblem)
}

/** Returns the JSON text of a result: of its first reading that validates; undefined if the run has no output schema, or none validates. */
export const resultText = async (
  { outputSchema }: Pick<RunSnapshot, "outputSchema">,
  { candidates }: ReadResult,
): Promise<string | undefined> => {
  if (outputSchema === undefined) return undefined
  for (const candidate of candidates) {
    const { problem, refusal } = await checkInThread({ schema: outputSchema, candidates: [candidate] })
    if (problem === undefined && refusal === undefined) return JSON.stringify(candidate)
  }
  return undefined
}
