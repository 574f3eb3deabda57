import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { isAbsolute, relative } from "node:path"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { Config } from "../contracts/config/config.ts"
import { systemCode } from "../domain/text/error-message.ts"
import { maxUntrustedBytes } from "../domain/text/foreign/parse-yaml.ts"
import { parseConfig } from "./parse-config.ts"

/** Returns the path of a file as a person in the working directory would write it. */
export const shownName = (cwd: string, path: string): string => {
  const way = relative(cwd, path)
  return way.startsWith("..") || isAbsolute(way) ? path : way
}

const readText = async (path: string, name: string): Promise<string> => {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await file.stat()
    if (!found.isFile()) throw new AdjutantError("invalid_config", `${name} is not a file`)
    if (found.size > maxUntrustedBytes)
      throw new AdjutantError("invalid_config", `${name} is larger than 1 MiB: keep long texts in files of their own`)
    return await file.readFile("utf8")
  } catch (error) {
    if (error instanceof AdjutantError) throw error
    if (systemCode(error) === "ENOENT")
      throw new AdjutantError("invalid_config", `the configuration file ${name} does not exist`, { cause: error })
    throw new AdjutantError("invalid_config", `the configuration file ${name} cannot be read`, { cause: error })
  }
}

/** A configuration, and the text that it was parsed from. */
export interface ReadConfig {
  readonly config: Config
  readonly source: string
}

/** Reads a configuration file once, so that what is checked is what applies. Rejects with `invalid_config`. */
export const readConfig = async (configPath: string, cwd: string): Promise<ReadConfig> => {
  const name = shownName(cwd, configPath)
  const source = await readText(configPath, name)
  return { config: parseConfig(source, name), source }
}
