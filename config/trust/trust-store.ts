import { randomUUID } from "node:crypto"
import { lstat, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Environment } from "../../domain/environment.ts"
import { systemCode } from "../../domain/text/error-message.ts"
import { makeFolder } from "../data-dir/prepare-data-dir.ts"
import { stateFolder } from "../data-dir/state-folder.ts"
import { contentHash } from "./cover-files.ts"

const hashes = z.record(z.string(), z.string())

const recordSchema = z.strictObject({
  version: z.literal(1),
  /** The configuration file. */
  path: z.string(),
  /** Hashes of the configuration file and of the files that it names, by path relative to the project root. */
  files: hashes,
  /** Hashes of the values of the keys that needed trust. */
  keys: hashes,
  trusted_at: z.iso.datetime(),
})

/** What was trusted, and when. */
export type TrustRecord = z.infer<typeof recordSchema>

/** Returns the folder of the records: one file for each configuration, so that two processes never change the same file. */
const trustFolder = (env: Environment): string | undefined => {
  const state = stateFolder(env)
  return state === undefined ? undefined : join(state, "trust")
}

const unusable = (what: string, why: string, cause?: unknown): AdjutantError =>
  new AdjutantError("config_not_trusted", `the record of trusted configurations ${what} cannot be used: ${why}`, {
    cause,
  })

const changeableByOthers = 0o022

/** Returns the folder if it exists. Rejects if another user could have written to it. */
const usableFolder = async (env: Environment): Promise<string | undefined> => {
  const folder = trustFolder(env)
  if (folder === undefined) return undefined
  try {
    const { mode, uid } = await lstat(folder)
    if (process.getuid !== undefined && uid !== process.getuid()) throw unusable(folder, "it belongs to another user")
    if ((mode & changeableByOthers) !== 0)
      throw unusable(folder, "other users can change it; run chmod 700 on it after you have checked its files")
    return folder
  } catch (error) {
    if (error instanceof AdjutantError) throw error
    if (systemCode(error) === "ENOENT") return undefined
    throw unusable(folder, systemCode(error) ?? "the system refuses it", error)
  }
}

const readRecord = async (file: string): Promise<TrustRecord | undefined> => {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, "utf8")))
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined
    const why = systemCode(error) ?? "its content is not valid"
    throw unusable(file, `${why}; remove the file, then run adjutant trust`, error)
  }
}

const trustFile = (folder: string, configPath: string): string => join(folder, `${contentHash(configPath)}.json`)

/** Returns the record of a configuration file; undefined if it was never trusted. */
export const findTrust = async (env: Environment, configPath: string): Promise<TrustRecord | undefined> => {
  const folder = await usableFolder(env)
  const record = folder === undefined ? undefined : await readRecord(trustFile(folder, configPath))
  return record?.path === configPath ? record : undefined
}

export const listTrust = async (env: Environment): Promise<readonly TrustRecord[]> => {
  const folder = await usableFolder(env)
  if (folder === undefined) return []
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"))
  const records = await Promise.all(names.map((name) => readRecord(join(folder, name))))
  return records.filter((record) => record !== undefined).toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/** Stores a record in the place of an older one. A reader sees either the whole old one or the whole new one. */
export const storeTrust = async (env: Environment, record: TrustRecord): Promise<void> => {
  const folder = trustFolder(env)
  if (folder === undefined) throw unusable("of this user", "the user has no home directory; set XDG_STATE_HOME")
  try {
    await makeFolder(folder)
    await usableFolder(env)
    const draft = join(folder, `${randomUUID()}.draft`)
    try {
      await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`, { flag: "wx", mode: 0o600 })
      await rename(draft, trustFile(folder, record.path))
    } finally {
      await rm(draft, { force: true })
    }
  } catch (error) {
    if (error instanceof AdjutantError) throw error
    throw unusable(folder, systemCode(error) ?? "the system refuses it", error)
  }
}

/** Removes the record of a configuration file. Returns whether there was one. */
export const revokeTrust = async (env: Environment, configPath: string): Promise<boolean> => {
  const folder = await usableFolder(env)
  if (folder === undefined) return false
  try {
    await rm(trustFile(folder, configPath))
    return true
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false
    throw unusable(folder, systemCode(error) ?? "the system refuses it", error)
  }
}
