import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { dayMs } from "../../domain/text/duration.ts"

/** Returns a duration that an environment variable may set. Throws AdjutantError `invalid_config` for any other value. */
export const milliseconds = (
  env: NodeJS.ProcessEnv,
  name: string,
  { least, otherwise }: { readonly least: number; readonly otherwise: number },
): number => {
  const value = Number(env[name] || otherwise)
  if (Number.isInteger(value) && value >= least && value <= dayMs) return value
  throw new AdjutantError("invalid_config", `${name} must be milliseconds from ${least} to ${dayMs}`)
}
