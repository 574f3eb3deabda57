import { createConnectedClient } from "../../client/connect.ts"
import type { AdjutantClient } from "../../client/create-client.ts"
import type { TreeReading } from "../tree-registry.ts"
import type { OpenedHost } from "./opened-host.ts"
import { resolveWhereConfined } from "./resolve-where-confined.ts"

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
  createConnectedClient({
    ...{ env, loaded, server, temporal, store, engine, redact },
    resolveRun: resolveWhereConfined(
      async () => (await import("../../worker/detect-sandbox.ts")).requireSandbox(loaded.config),
      hasWorker,
    ),
  })
