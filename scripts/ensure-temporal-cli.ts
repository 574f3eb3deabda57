// Finds, downloads or builds the `temporal` program, and prints its path; for CI and tests.
import { isAdjutantError } from "../contracts/adjutant-error.ts"
import { ensureTemporalProgram } from "../server/program/ensure-temporal-program.ts"

try {
  const program = await ensureTemporalProgram({ env: process.env, onProgress: (line) => console.error(line) })
  console.log(program.path)
} catch (error) {
  if (!isAdjutantError(error)) throw error
  console.error(error.message)
  process.exitCode = 1
}
