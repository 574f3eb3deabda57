import type { LoadedConfig } from "../../config/loaded-config.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import type { Environment } from "../../domain/environment.ts"
import { hasVariableOf } from "./fields/resolve-keys.ts"
import { planSettings } from "./plan-settings.ts"
import { configurationOrigin } from "./settings-origin.ts"

/** Returns why a run that names no profile and no model is refused, such as a missing key; undefined if it is not. */
export const defaultRunProblem = (loaded: LoadedConfig, env: Environment): string | undefined => {
  const facts = { hasVariable: hasVariableOf(env), notes: [] }
  try {
    planSettings({ cwd: loaded.projectRoot }, configurationOrigin(loaded), facts)
    return undefined
  } catch (error) {
    if (isAdjutantError(error)) return error.message
    throw error
  }
}
