import { readFileSync, statSync } from "node:fs"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** An environment to which values can be added. */
export type MutableEnvironment = Record<string, string | undefined>

const maxSecretBytes = 64 * 1024

/**
 * Reads secrets from files, as containers mount them: if `NAME_FILE` is set for one of the names, the content of that file becomes the value of
 * `NAME`, without the line break at its end. Throws `invalid_config` if the file cannot be used, or `NAME` has another value.
 */
export const adoptSecretFiles = (env: MutableEnvironment, names: ReadonlySet<string>): void => {
  for (const name of names) {
    const variable = `${name}_FILE`
    const path = env[variable]?.trim()
    if (path === undefined || path === "") continue
    const value = readSecret(path, variable)
    const present = env[name]?.trim() ?? ""
    if (present !== "" && present !== value)
      throw new AdjutantError("invalid_config", `${name} and ${variable} have different values: set one of them`)
    env[name] = value
  }
}

const readSecret = (path: string, variable: string): string => {
  const value = contentOf(path, variable).trim()
  if (value === "") throw new AdjutantError("invalid_config", `${variable}: the file ${path} is empty`)
  if (["\0", "\r", "\n"].some((character) => value.includes(character)) && !value.startsWith("-----BEGIN "))
    throw new AdjutantError("invalid_config", `${variable}: the file ${path} must contain one line`)
  return value
}

const contentOf = (path: string, variable: string): string => {
  try {
    const found = statSync(path)
    if (found.isFile() && found.size <= maxSecretBytes) return readFileSync(path, "utf8")
  } catch (cause) {
    throw new AdjutantError("invalid_config", `${variable}: the file ${path} cannot be read`, { cause })
  }
  throw new AdjutantError("invalid_config", `${variable}: ${path} is not a file of at most 64 KiB`)
}
