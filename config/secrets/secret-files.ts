import { readFileSync, statSync } from "node:fs"
import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** An environment that may get values. */
export type MutableEnvironment = Record<string, string | undefined>

const maxSecretBytes = 64 * 1024

/**
 * Secrets by file, as containers mount them: where `NAME_FILE` is set for one of the names, its content becomes `NAME`, without the line
 * break at its end. Throws `invalid_config` where the file cannot be used, or `NAME` says something else.
 */
export const adoptSecretFiles = (env: MutableEnvironment, names: ReadonlySet<string>): void => {
  for (const name of names) {
    const variable = `${name}_FILE`
    const path = env[variable]?.trim()
    if (path === undefined || path === "") continue
    const value = readSecret(path, variable)
    const present = env[name]?.trim() ?? ""
    if (present !== "" && present !== value)
      throw new AdjutantError("invalid_config", `${name} and ${variable} say different things: set one of them.`)
    env[name] = value
  }
}

const readSecret = (path: string, variable: string): string => {
  const value = contentOf(path, variable).trim()
  if (value === "") throw new AdjutantError("invalid_config", `The file that ${variable} names is empty: ${path}`)
  if (["\0", "\r", "\n"].some((character) => value.includes(character)) && !value.startsWith("-----BEGIN "))
    throw new AdjutantError("invalid_config", `The file that ${variable} names must hold one line: ${path}`)
  return value
}

const contentOf = (path: string, variable: string): string => {
  try {
    const found = statSync(path)
    if (found.isFile() && found.size <= maxSecretBytes) return readFileSync(path, "utf8")
  } catch (cause) {
    throw new AdjutantError("invalid_config", `The file that ${variable} names cannot be read: ${path}`, { cause })
  }
  throw new AdjutantError("invalid_config", `${variable} names no file of at most 64 KiB: ${path}`)
}
