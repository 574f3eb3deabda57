import { AdjutantError } from "../contracts/adjutant-error.ts"
import { httpUrlSchema } from "../contracts/names.ts"
import type { Environment } from "../domain/environment.ts"

/** Returns the value of a variable; an empty one counts as not set. */
export const envValue = (env: Environment, name: string): string | undefined => {
  const value = env[name]?.trim()
  return value === "" ? undefined : value
}

/** Returns the address in a variable. The error for an invalid one does not repeat it, because it may contain a password. */
export const envUrl = (env: Environment, name: string): string | undefined => {
  const value = envValue(env, name)
  if (value === undefined) return undefined
  const parsed = httpUrlSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AdjutantError(
    "invalid_config",
    `${name}: ${parsed.error.issues[0]?.message ?? "must be an http or https address"}`,
  )
}
