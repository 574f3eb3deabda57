import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { ReadResult } from "../../domain/transcript/read-result.ts"
import type { OutputSchema } from "../../contracts/run/output-schema.ts"
import type { SchemaTurn, SchemaVerdict } from "../../domain/tools/schema-check.ts"
import type { Actor } from "../actor.ts"
import { canonicalJson } from "../../domain/text/json/canonical-json.ts"
import { checkSchema } from "./check-schema.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const maxShownProblem = 1_000
const subject = "the result"

/** How long a request waits for its turn. */
const requestWaitMs = 30_000

/** Returns the turn of a request: each caller has a share of its own. */
export const checkTurnOf = (actor: Actor | undefined): SchemaTurn => ({
  owner: actor === undefined ? "own" : `${actor.via} ${actor.by}`,
  waitMs: requestWaitMs,
})

/**
 * Requires that the output schema of a run can be used.
 * @throws AdjutantError `invalid_argument`; `rate_limited` if the turn allows only some waiting, and too many other schemas are checked now
 */
export const requireOutputSchema = async (
  { outputSchema }: Pick<RunSnapshot, "outputSchema">,
  turn: SchemaTurn,
): Promise<void> => {
  if (outputSchema === undefined) return
  const verdict = await checkSchema({ schema: outputSchema, candidates: [], subject }, turn)
  if (verdict.kind === "unusable")
    throw new AdjutantError(
      "invalid_argument",
      `the output schema cannot be used: ${startOf(verdict.problem, maxShownProblem)}`,
    )
  if (verdict.kind === "busy")
    throw new AdjutantError("rate_limited", "too many output schemas are being checked; try again later")
}

/** The owner of a schema's checks is the schema itself: one with slow checks delays no other one. */
const checkResult = (schema: OutputSchema, candidates: readonly unknown[]): Promise<SchemaVerdict> =>
  checkSchema({ schema, candidates, subject }, { owner: `schema ${canonicalJson(schema)}` })

const shownProblem = (verdict: SchemaVerdict): string | undefined =>
  "problem" in verdict ? startOf(verdict.problem, maxShownProblem) : undefined

/** Returns why a result does not validate against the run's output schema; undefined if it does, or if the run has none. */
export const resultProblem = async (
  { outputSchema }: Pick<RunSnapshot, "outputSchema">,
  result: ReadResult,
): Promise<string | undefined> => {
  if (outputSchema === undefined) return undefined
  if (result.candidates.length === 0) return "it is not JSON"
  return shownProblem(await checkResult(outputSchema, result.candidates))
}

/** Returns the JSON text of a result: of its first reading that validates; undefined if the run has no output schema, or none validates. */
export const resultText = async (
  { outputSchema }: Pick<RunSnapshot, "outputSchema">,
  { candidates }: ReadResult,
): Promise<string | undefined> => {
  if (outputSchema === undefined) return undefined
  for (const candidate of candidates)
    if ((await checkResult(outputSchema, [candidate])).kind === "valid") return JSON.stringify(candidate)
  return undefined
}
