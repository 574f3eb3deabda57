import { createHash } from "node:crypto"
import { loadConfig } from "../config/load-config.ts"
import type { Config } from "../contracts/config/config.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import { rememberSecret, type MutableEnvironment } from "../config/secrets/secret-files.ts"
import { collectSecrets, createSecretRedact } from "../config/secrets/secrets.ts"
import type { TreeRegistration } from "../contracts/service/tree-registration.ts"
import type { Environment } from "../domain/environment.ts"
import { isFinal } from "../domain/run/is-final.ts"
import type { Redact } from "../domain/text/redact.ts"
import { hasSameAddresses } from "./same-addresses.ts"
import { freeSessionId } from "../sessions/session-id.ts"
import { requireTreeKeys } from "../sessions/settings/require-tree-keys.ts"
import { sessionPages } from "../sessions/rows/page.ts"
import type { SessionRow, Store } from "../store/store.ts"
import { confinesCommands } from "../worker/detect-sandbox.ts"
import type { TreeSurroundings, WorkerTrees } from "../worker/trees/activities-by-tree.ts"
import { configuredSurroundings } from "../worker/trees/configured-surroundings.ts"

/** The configuration and the variables that commands gave the service for their trees. They contain secrets, and stay in memory. */
export interface TreeRegistry extends WorkerTrees {
  /**
   * Reads the configuration of a tree as its command has read it. Returns the id of the root, a free one for a new task.
   * @throws AdjutantError if it cannot be used, `key_missing`
   */
  register(registration: TreeRegistration): Promise<string>
  /** Returns what the command of a tree has read, the same object for trees with the same surroundings. */
  readOf(rootId: string): TreeReading | undefined
  /** Whether a tree was registered a moment ago. Its task may not have started yet: the service must not end as idle. */
  expectsTask(): boolean
  /** Forgets the configuration and the variables of trees that have ended. */
  forgetEnded(): Promise<void>
}

/** The configuration and the variables of the command that started or resumed a tree. */
export interface TreeReading {
  readonly loaded: LoadedConfig
  readonly env: Environment
  readonly redact: Redact
}

/** What a service itself was started with. */
export interface ServiceSurroundings {
  readonly dataDir: string
  readonly config: Pick<Config, "store">
  /** Names of the tools of the program that is the service. */
  readonly customTools?: readonly string[] | undefined
  /** Keeps the secrets that its log and its answers must not show. */
  readonly env: MutableEnvironment
}

export interface TreeRegistryOptions extends ServiceSurroundings {
  readonly store: Pick<Store, "sessions" | "runs" | "snapshots">
  /** Milliseconds, monotonic. */
  readonly now?: () => number
}

/** Where a command looks for its configuration, and with which variables. */
export type BroughtConfig = Pick<TreeRegistration, "cwd" | "config_path" | "is_trusted" | "env" | "temporal_address">

/** Refuses a command whose configuration names another store or another Temporal. One service cannot work with two. */
const requireSamePlaces = (
  { dataDir, config, env }: ServiceSurroundings,
  { store, temporal }: { readonly store: string; readonly temporal: string | null },
): void => {
  const own = env["TEMPORAL_ADDRESS"]
  const differs =
    store !== config.store.url
      ? `another store (store.url) than the service of ${dataDir}`
      : temporal !== null && temporal !== own
        ? `the Temporal at ${temporal} (TEMPORAL_ADDRESS), and the service of ${dataDir} uses ${own === undefined ? "the embedded one" : `that at ${own}`}`
        : undefined
  if (differs !== undefined)
    throw new AdjutantError(
      "service_unavailable",
      `this command names ${differs}: run "adjutant service stop" first, or name another data directory with --data-dir`,
    )
}

/**
 * Reads the configuration as the command has read it. Its secrets are kept from what this process logs and answers.
 * @throws AdjutantError if it cannot be used, `service_unavailable` if it names another store or Temporal
 */
export const readBrought = async (
  { cwd, config_path: configPath, is_trusted: isGiven, env: given, temporal_address: temporal }: BroughtConfig,
  service: ServiceSurroundings,
): Promise<Pick<TreeReading, "loaded"> & { readonly env: MutableEnvironment }> => {
  const { dataDir, env: ownEnv, customTools } = service
  const env: MutableEnvironment = { ...given }
  const read = await loadConfig({
    ...{ cwd, env, dataDir, trust: { isGiven, confinesCommands } },
    ...(configPath === null ? {} : { configPath }),
  })
  const loaded = customTools === undefined ? read : { ...read, customTools }
  requireSamePlaces(service, { store: loaded.config.store.url, temporal })
  for (const secret of collectSecrets(loaded.config, loaded.models, env)) rememberSecret(ownEnv, secret)
  return { loaded, env }
}

interface Registered {
  readonly hash: string
  readonly atMs: number
}

/** The longest time between the registration of a tree and the start of its task. */
const startMs = 60_000

const surroundingsHash = (
  { cwd, env }: TreeRegistration,
  { config, configPath, models, knownModels }: LoadedConfig,
): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        cwd,
        Object.entries(env).toSorted(([left], [right]) => (left < right ? -1 : 1)),
        configPath,
        config,
        models,
        knownModels,
      ]),
    )
    .digest("hex")

/** How long a run waits at most while `adjutant run` follows it: a person waits for the command. */
const followedPauseSeconds = 600

/** Sets how long the run waits for its provider, if the configuration does not say it. */
const withPatience = (loaded: LoadedConfig): LoadedConfig => {
  const { config } = loaded
  const { providerPauseSeconds = followedPauseSeconds } = config.timing
  return { ...loaded, config: { ...config, timing: { ...config.timing, providerPauseSeconds } } }
}

/** Returns whether a session of the tree has not ended. */
const isTreeOpen = async (store: Pick<Store, "sessions">, rootId: string): Promise<boolean> => {
  for await (const page of sessionPages({ sessions: store.sessions }, { rootId, includeArchived: true }))
    if (page.some(({ status }) => !isFinal(status))) return true
  return false
}

/** Keeps one copy of equal surroundings, by the hash of their content. */
const createShelf = () => {
  const kept = new Map<
    string,
    { readonly surroundings: TreeSurroundings; readonly reading: TreeReading; readonly end: AbortController }
  >()
  return {
    get: (hash: string | undefined) => (hash === undefined ? undefined : kept.get(hash)),
    put: (hash: string, loaded: LoadedConfig, env: MutableEnvironment): void => {
      if (kept.has(hash)) return
      const end = new AbortController()
      const redact = createSecretRedact(loaded, env)
      const surroundings = { ...configuredSurroundings(loaded, env), redact, released: end.signal }
      kept.set(hash, { surroundings, reading: { loaded, env, redact }, end })
    },
    keepOnly: (used: ReadonlySet<string>): void => {
      for (const [hash, { end }] of kept) {
        if (used.has(hash)) continue
        kept.delete(hash)
        end.abort()
      }
    },
  }
}

export const createTreeRegistry = ({
  store,
  now = () => performance.now(),
  ...service
}: TreeRegistryOptions): TreeRegistry => {
  const trees = new Map<string, Registered>()
  const shelf = createShelf()
  const likeNewest = new Map<string, boolean>()
  /** The hash of the surroundings with which the newest task was started. */
  let newest: string | undefined
  const isLikeNewest = async (hash: string, { runId }: Pick<SessionRow, "runId">): Promise<boolean> => {
    const key = `${runId ?? ""} ${hash}`
    const known = likeNewest.get(key)
    if (known !== undefined) return known
    const run = runId === null ? undefined : await store.runs.get(runId)
    const snapshot = run === undefined ? undefined : await store.snapshots.get(run.snapshotHash)
    const loaded = shelf.get(hash)?.reading.loaded
    if (snapshot === undefined || loaded === undefined) return false
    const isLike = hasSameAddresses(snapshot, loaded)
    likeNewest.set(key, isLike)
    return isLike
  }
  /**
   * Returns what a tree uses that no command has registered, such as one from before a restart: the surroundings of the newest task. The run gets them only
   * if it sends the values of variables nowhere else than the configuration in them does.
   */
  const newestFor = async (row: Pick<SessionRow, "runId">): Promise<TreeSurroundings | undefined> =>
    newest !== undefined && (await isLikeNewest(newest, row)) ? shelf.get(newest)?.surroundings : undefined
  const isRecent = ({ atMs }: Registered): boolean => now() - atMs < startMs
  return {
    register: async (registration) => {
      const { loaded: read, env } = await readBrought(registration, service)
      const loaded = registration.is_followed ? withPatience(read) : read
      if (registration.needs_keys && registration.root_id !== null)
        await requireTreeKeys(store, registration.root_id, env)
      const isTaken = async (id: string): Promise<boolean> =>
        trees.has(id) || (await store.sessions.get(id)) !== undefined
      const rootId = registration.root_id ?? (await freeSessionId(isTaken))
      const hash = surroundingsHash(registration, loaded)
      shelf.put(hash, loaded, env)
      trees.set(rootId, { hash, atMs: now() })
      if (registration.root_id === null) newest = hash
      return rootId
    },
    readOf: (rootId) => shelf.get(trees.get(rootId)?.hash)?.reading,
    surroundingsOf: async (sessionId) => {
      if (newest === undefined && trees.size === 0) return undefined
      const own = trees.get(sessionId)
      if (own !== undefined) return shelf.get(own.hash)?.surroundings
      const session = await store.sessions.get(sessionId)
      if (session === undefined) return undefined
      const ofTree = trees.get(session.rootId)
      return ofTree === undefined ? await newestFor(session) : shelf.get(ofTree.hash)?.surroundings
    },
    expectsTask: () => [...trees.values()].some(isRecent),
    forgetEnded: async () => {
      for (const [rootId, tree] of trees)
        if (!isRecent(tree) && !(await isTreeOpen(store, rootId)) && trees.get(rootId) === tree) trees.delete(rootId)
      likeNewest.clear()
      shelf.keepOnly(new Set([...trees.values()].map(({ hash }) => hash).concat(newest ?? [])))
    },
  }
}
