import { readFileSync, statSync } from "node:fs"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Environment } from "../../domain/environment.ts"

/** An environment to which values can be added. */
export type MutableEnvironment = Record<string, string | undefined>

const maxSecretBytes = 64 * 1024

/** The values of secrets that were read while the process ran, by environment. Each list is replaced when a value is added. */
const rememberedSecrets = new WeakMap<object, readonly string[]>()

/** Keeps a value that was read later than the configuration, so that it is redacted from then on. */
export const rememberSecret = (env: MutableEnvironment, value: string): void => {
  const known = rememberedSecrets.get(env) ?? []
  if (!known.includes(value)) rememberedSecrets.set(env, [...known, value])
}

/** Returns every value that was remembered for an environment: the same list until there is another one. */
export const secretsSince = (env: Environment): readonly string[] => rememberedSecrets.get(env) ?? noSecrets

const noSecrets: readonly string[] = []

/** Returns what changes when a file is written or replaced. */
const versionOf = (path: string): string => {
  const { mtimeMs, ctimeMs, size, ino } = statSync(path)
  return [mtimeMs, ctimeMs, size, ino].join(" ")
}

/** Returns a function that returns the secret in a file, and reads it again when the file has changed. Throws if the file cannot be used at first. */
const secretInFile = (env: MutableEnvironment, path: string, variable: string): (() => string) => {
  const read = (): string => {
    const found = readSecret(path, variable)
    rememberSecret(env, found)
    return found
  }
  let version = versionIfThere(path)
  let value = read()
  return () => {
    try {
      const present = versionOf(path)
      if (present !== version) value = read()
      version = present
    } catch {
      // The file is being replaced, or is not usable now: the value that it had last counts.
    }
    return value
  }
}

const versionIfThere = (path: string): string | undefined => {
  try {
    return versionOf(path)
  } catch {
    return undefined
  }
}

/**
 * Reads secrets from files, as containers mount them: if `NAME_FILE` is set for one of the names, the value of `NAME` is the content of that file,
 * without the line break at its end, also after the file has changed. `env` is not `process.env` itself, which only takes texts. Throws
 * `invalid_config` if the file cannot be used, or `NAME` has another value.
 */
export const adoptSecretFiles = (env: MutableEnvironment, names: ReadonlySet<string>): void => {
  for (const name of names) {
    const variable = `${name}_FILE`
    const path = env[variable]?.trim()
    if (path === undefined || path === "") continue
    const valueOf = secretInFile(env, path, variable)
    const present = env[name]?.trim() ?? ""
    if (present !== "" && present !== valueOf())
      throw new AdjutantError("invalid_config", `${name} and ${variable} have different values: set one of them`)
    Object.defineProperty(env, name, { get: valueOf, enumerable: true, configurable: true })
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
