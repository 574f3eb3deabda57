import { realpath } from "node:fs/promises"
import { basename, join } from "node:path"
import type { Config } from "../../contracts/config/config.ts"
import type { Environment } from "../../domain/environment.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { type CoveredFiles, coverFiles, contentHash } from "./cover-files.ts"
import { configPathText } from "../config-problem.ts"
import { packageRoot } from "../package-root.ts"
import { findUnconfinedScripts } from "./find-unconfined-scripts.ts"
import { type Danger, listDangers } from "./list-dangers.ts"
import { findTrust, storeTrust, type TrustRecord } from "./trust-store.ts"

/** A configuration file that was found in a project, and the text that its configuration was parsed from. */
export interface FoundConfig {
  readonly configPath: string
  readonly projectRoot: string
  readonly config: Config
  readonly source: string
  readonly env: Environment
  /** Whether a sandbox confines the commands of this machine's workers. Without it, none does. */
  readonly confinesCommands?: () => Promise<boolean>
}

/** What is known about the trust in a configuration. `harmless` and `example` need none. */
export interface TrustReview {
  readonly state: "harmless" | "example" | "trusted" | "changed" | "new"
  readonly configPath: string
  /** The keys that need trust. */
  readonly dangers: readonly Danger[]
  readonly files: CoveredFiles
  /** What was trusted before. */
  readonly record: TrustRecord | undefined
}

const hasSameFiles = (left: CoveredFiles, right: CoveredFiles): boolean =>
  Object.keys(left).length === Object.keys(right).length &&
  Object.entries(left).every(([path, hash]) => Object.hasOwn(right, path) && right[path] === hash)

/**
 * Returns whether a configuration is one of the examples that are part of this program. A user who can change those can change the program. A copy of one
 * needs trust as any other configuration: what it names lies where the copy is.
 */
const isOwnExample = async (configPath: string): Promise<boolean> => {
  try {
    return isInside(await realpath(join(packageRoot(), "examples")), await realpath(configPath))
  } catch {
    return false
  }
}

const stateOf = async (review: Omit<TrustReview, "state">): Promise<TrustReview["state"]> => {
  const { configPath, dangers, files, record } = review
  if (record !== undefined && hasSameFiles(record.files, files)) return "trusted"
  if (record === undefined && dangers.length === 0) return "harmless"
  if (await isOwnExample(configPath)) return "example"
  return record === undefined ? "new" : "changed"
}

/**
 * Returns what a configuration needs trust for, and whether it has it. After a configuration was trusted, every change of it counts: it may
 * drop a restriction.
 */
export const reviewTrust = async (found: FoundConfig): Promise<TrustReview> => {
  const { configPath, projectRoot, config, source, env } = found
  const dangers = listDangers(config, await findUnconfinedScripts(found))
  const named = await coverFiles(dangers, projectRoot)
  const files = { ...named, [basename(configPath)]: contentHash(source) }
  const review = { configPath, dangers, files, record: await findTrust(env, configPath) }
  return { ...review, state: await stateOf(review) }
}

/** Returns the place of a key in a record. */
export const dangerKey = ({ path }: Danger): string => configPathText(path)

export const dangerHash = ({ value }: Danger): string => contentHash(JSON.stringify(value))

/** Stores that the configuration is trusted as it was reviewed. */
export const acceptTrust = ({ configPath: path, files, dangers }: TrustReview, env: Environment): Promise<void> =>
  storeTrust(env, {
    version: 1,
    path,
    files,
    keys: Object.fromEntries(dangers.map((danger) => [dangerKey(danger), dangerHash(danger)])),
    trusted_at: new Date().toISOString(),
  })
