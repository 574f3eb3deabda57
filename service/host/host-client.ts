import { type AdjutantClient, createClient } from "../../client/create-client.ts"
import { createTemporalUrl } from "../../domain/engine/temporal-url.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { thisMachine } from "../../engine/workers/machine.ts"
import { livenessOf, placeOf } from "../../server/running-server.ts"
import type { TreeReading } from "../tree-registry.ts"
import { createEngineGuard } from "../../sessions/engine/create-engine-guard.ts"
import type { OpenedHost } from "./opened-host.ts"
import { resolveWhereConfined } from "./resolve-where-confined.ts"

/** Returns what compares the connected engine with that of the store. */
export const engineGuardOf = ({
  server,
  temporal,
  store,
  loaded: { config, dataDir },
}: Pick<OpenedHost, "server" | "temporal" | "store" | "loaded">): OpenedHost["engine"] =>
  createEngineGuard({
    temporal: temporal.client,
    store,
    address: placeOf(server, dataDir),
    checkEveryMs: config.timing.engineCheckMs,
  })

/** Returns a function that returns the client for what the command of a tree has read, the same one for the same reading. */
export const treeClients = (opened: OpenedHost): ((reading: TreeReading) => AdjutantClient) => {
  const made = new WeakMap<TreeReading, AdjutantClient>()
  return (reading) => {
    const one = made.get(reading) ?? createHostClient({ ...opened, ...reading }, { hasWorker: true })
    made.set(reading, one)
    return one
  }
}

/** Creates the client of a process that has opened everything. `hasWorker`: the process works itself. */
export const createHostClient = (
  { env, loaded, server, temporal, store, engine, redact }: Omit<OpenedHost, "client" | "closers" | "logger" | "codec">,
  { hasWorker }: { readonly hasWorker: boolean },
): AdjutantClient =>
  createClient({
    temporal: temporal.client,
    store,
    loaded,
    env,
    hasSearchAttributes: server.hasSearchAttributes,
    taskQueue: taskQueueOf(store.storeId),
    liveness: livenessOf(server),
    machine: thisMachine(env, { isEmbedded: server.kind === "embedded" }),
    temporalUrl: createTemporalUrl(server),
    redact,
    engine,
    resolveRun: resolveWhereConfined(
      async () => (await import("../../worker/detect-sandbox.ts")).requireSandbox(loaded.config),
      hasWorker,
    ),
  })
