import type { Environment } from "../domain/environment.ts"
import { environmentGroups } from "./environment-variables.ts"
import type { LoadedConfig } from "./loaded-config.ts"
import { secretEnvNames } from "./secrets/secrets.ts"

/** Where Temporal and the store are, and how a terminal looks, is settled by the process that does the work. */
const settledGroups: ReadonlySet<string> = new Set(["Temporal", "Store", "Terminal"])

const readNames = environmentGroups.flatMap(({ title, variables }) =>
  settledGroups.has(title) ? [] : variables.map(({ name }) => name),
)

const isLocale = (name: string): boolean => name.startsWith("LC_")

/**
 * Returns the variables of a command that the work of its tasks needs: those that the configuration names, those that the product reads, and the locale.
 * A secret that is in a file travels as the name of that file.
 */
export const travellingVariables = (
  { config, models }: Pick<LoadedConfig, "config" | "models">,
  env: Environment,
): Readonly<Record<string, string>> => {
  const read = [...readNames, ...secretEnvNames(config, models), ...config.security.envAllow]
  const names = new Set([...read, "LANG", "TZ", "TMPDIR", ...Object.keys(env).filter(isLocale)])
  const files = new Set([...names].map((name) => `${name}_FILE`).filter((name) => (env[name] ?? "").trim() !== ""))
  const wanted = [...names, ...[...names].map((name) => name.toLowerCase()), ...files]
  return Object.fromEntries(
    wanted.flatMap((name) => {
      const value = env[name]
      return value === undefined || files.has(`${name}_FILE`) ? [] : [[name, value]]
    }),
  )
}
