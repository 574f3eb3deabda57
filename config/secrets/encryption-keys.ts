import path from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { KeyCommand } from "../../contracts/config/config-models.ts"
import type { EncryptionKeys } from "../../contracts/config/encryption.ts"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { LoadedConfig } from "../loaded-config.ts"
import { createKeyCommands } from "./key-commands.ts"
import type { MutableEnvironment } from "./secret-files.ts"

const keyBytes = 32

interface KeySource {
  readonly keyId: string
  readonly keyEnv?: string | undefined
  readonly keyCommand?: KeyCommand | undefined
}

const invalid = (problem: string): AdjutantError => new AdjutantError("invalid_config", `encryption: ${problem}`)

const decodedKey = (text: string, { keyId }: KeySource): Buffer => {
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64")
  if (key.length !== keyBytes)
    throw invalid(`the key ${keyId} has ${key.length} bytes: it requires ${keyBytes}, as base64 or hexadecimal digits`)
  return key
}

const readKey = async (
  source: KeySource,
  { env, folder }: { readonly env: MutableEnvironment; readonly folder: string },
): Promise<Buffer> => {
  const { keyId, keyEnv, keyCommand } = source
  if (keyCommand === undefined) {
    const text = keyEnv === undefined ? undefined : env[keyEnv]?.trim()
    if (text === undefined || text === "") throw invalid(`the key ${keyId} is missing: set ${keyEnv ?? "keyEnv"}`)
    return decodedKey(text, source)
  }
  const command = keyCommand.command.includes("/") ? path.resolve(folder, keyCommand.command) : keyCommand.command
  const cwd = path.resolve(folder, keyCommand.cwd ?? ".")
  try {
    const commands = createKeyCommands(env, Date.now, `keyCommand of ${keyId}`)
    return decodedKey(await commands.keyOf({ ...keyCommand, command, cwd }, env), source)
  } catch (error) {
    throw error instanceof AdjutantError ? error : invalid(errorMessage(error))
  }
}

/** Reads the keys that the configuration names; undefined if it names none. @throws AdjutantError `invalid_config` */
export const readEncryptionKeys = async (
  { config, configPath, projectRoot }: Pick<LoadedConfig, "config" | "configPath" | "projectRoot">,
  env: MutableEnvironment,
): Promise<EncryptionKeys | undefined> => {
  const { encryption } = config
  if (encryption === undefined) return undefined
  const { keyId: current, oldKeys, keyEnv, keyCommand } = encryption
  const folder = configPath === null ? projectRoot : path.dirname(configPath)
  const sources = [...(current === undefined ? [] : [{ keyId: current, keyEnv, keyCommand }]), ...oldKeys]
  const keys = await Promise.all(
    sources.map(async (source) => [source.keyId, await readKey(source, { env, folder })] as const),
  )
  return { current, keys: new Map(keys) }
}
