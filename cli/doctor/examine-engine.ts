import type { LoadedConfig } from "../../config/loaded-config.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { engineText, missingEngine, otherEngine, type RememberedEngine } from "../../domain/engine/engine-identity.ts"
import { areTooManyMissing, type MissingCount } from "../../domain/engine/missing-sessions.ts"
import { howToAcceptMissing, missingText } from "../../domain/engine/missing-session-errors.ts"
import { compareConnected } from "../../engine/compare-engine.ts"
import { connectTemporal } from "../../server/connection/connect-temporal.ts"
import type { Finding } from "../../server/diagnose/finding.ts"
import { findRunningServer, newEngineFile } from "../../server/find-running-server.ts"
import { placeOf } from "../../server/running-server.ts"
import { inspectStore, type StoreReport } from "../../store/open-store.ts"
import { isMissingFile, storeLocation } from "../../store/store-location.ts"
import type { Environment } from "../../domain/environment.ts"

interface Belonging {
  readonly storeId: string
  readonly remembered: RememberedEngine
}

const name = "engine"
const moveHint = 'if the store moves to another Temporal on purpose, run "adjutant engine move"'

interface ExamineOptions {
  /** Time for a server to answer; default 5 s. */
  readonly connectTimeoutMs?: number
}

/** Compares the engines if a server is already running. */
const compare = async (
  { dataDir }: LoadedConfig,
  env: Environment,
  { storeId, remembered, connectTimeoutMs = 5_000 }: Belonging & ExamineOptions,
): Promise<Finding> => {
  const server = findRunningServer({ dataDir, env })
  const belongs = `the store belongs to ${engineText(remembered)}`
  if (server === undefined) {
    const file = newEngineFile({ dataDir, env })
    return file === undefined
      ? { name, status: "ok", detail: `${belongs}; not compared, because no server is running` }
      : { name, status: "fail", detail: missingEngine(`belongs to Temporal ${engineText(remembered)}`, file).message }
  }
  const temporal = await connectTemporal(server, env, { connectTimeoutMs })
  try {
    const { found, isSame } = await compareConnected(temporal.client, { storeId, remembered }, placeOf(server, dataDir))
    return isSame
      ? { name, status: "ok", detail: `${belongs}, which is connected` }
      : { name, status: "fail", detail: otherEngine(remembered, found).message, hint: moveHint }
  } finally {
    await temporal.close()
  }
}

const sessionsFinding = (count: MissingCount): Finding => {
  const found = { name: "sessions", detail: missingText(count) }
  if (count.missing === 0) return { ...found, status: "ok", detail: `${count.open} open, none missing in Temporal` }
  return areTooManyMissing(count)
    ? {
        ...found,
        status: "fail",
        detail: `${found.detail}: the reconciler ends none of them`,
        hint: howToAcceptMissing,
      }
    : { ...found, status: "warn", hint: "they end as terminated, unless a second check finds them in Temporal" }
}

/** Returns what runs of the last days said about prompts that a server cut; nothing if none did. */
const promptFindings = ({ cutPrompts }: Pick<StoreReport, "cutPrompts">): readonly Finding[] => {
  const [last] = cutPrompts
  if (last === undefined) return []
  const runs = new Set(cutPrompts.map(({ run_id: runId }) => runId)).size
  const { message: said } = last
  const message = typeof said === "string" ? said.replace(/^prompt_cut: /, "") : ""
  return [
    {
      name: "prompts",
      status: "warn",
      detail: `${runs === 1 ? "1 run" : `${runs} runs`} of the last 7 days had a prompt that the server cut; the last one was ${last.session_id} at ${last.at}: ${message}`,
      hint: "give the model a larger context on its server, and set contextTokens of the model to it",
    },
  ]
}

/** Says why no part of the store was read. */
const unreadText = ({ config, dataDir }: LoadedConfig): string =>
  isMissingFile(storeLocation(config.store.url, dataDir))
    ? "no store yet"
    : "the store is empty, or of another version: it is not examined"

/** Examines whether the store belongs to the connected Temporal, and whether sessions are missing there. Starts and changes nothing. */
export const examineEngine = async (
  loaded: LoadedConfig,
  env: Environment,
  options: ExamineOptions = {},
): Promise<readonly Finding[]> => {
  try {
    const store = await inspectStore({ url: loaded.config.store.url, dataDir: loaded.dataDir, env })
    if (store === undefined) return [{ name, status: "ok", detail: unreadText(loaded) }]
    const { storeId, engine: remembered, sessions } = store
    const prompts = promptFindings(store)
    if (remembered === undefined)
      return [{ name, status: "ok", detail: "the store belongs to no Temporal yet" }, ...prompts]
    const engine = await compare(loaded, env, { storeId, remembered, ...options })
    return [engine, sessionsFinding(sessions), ...prompts]
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return [{ name, status: "fail", detail: error.message }]
  }
}
