import { Client, type Connection } from "@temporalio/client"
import type { DataConverter } from "@temporalio/common"
import type { NativeConnection } from "@temporalio/worker"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { loadConnectionProfile } from "./connection-profile.ts"
import { openConnection } from "./open-connection.ts"
import { temporalProxy } from "./temporal-proxy.ts"
import type { ReachedServer } from "../running-server.ts"

export interface ConnectTemporalOptions {
  /** The same for clients and workers: `payloadConverterPath` is the path of a module. */
  readonly dataConverter?: DataConverter
  /** The sender that Temporal records. */
  readonly identity?: string
  /** Default 10 s. */
  readonly connectTimeoutMs?: number
}

/** One process's connections to a server. */
export interface TemporalConnections {
  readonly connection: Connection
  readonly client: Client
  /** Returns the connection for workers. It is opened on first use, since it loads the native library. */
  nativeConnection(): Promise<NativeConnection>
  /** Closes the open connections. All workers must have stopped. */
  close(): Promise<void>
}

/** Connects to a server returned by `ensureServer`. Throws AdjutantError `temporal_unavailable` if it does not answer. */
export const connectTemporal = async (
  server: ReachedServer,
  env: NodeJS.ProcessEnv,
  options: ConnectTemporalOptions = {},
): Promise<TemporalConnections> => {
  const { address, namespace } = server
  const access = accessOptions(server, env)
  const connectTimeout = options.connectTimeoutMs ?? 10_000
  let connection: Connection
  try {
    connection = await openConnection({ ...access, connectTimeout })
  } catch {
    throw unanswered(address)
  }
  const { dataConverter, identity } = options
  let native: Promise<NativeConnection> | undefined
  const connectNative = async (): Promise<NativeConnection> => {
    const { NativeConnection } = await import("@temporalio/worker")
    try {
      return await NativeConnection.connect({ ...access, proxy: temporalProxy(access.address) })
    } catch {
      throw unanswered(address)
    }
  }
  return {
    connection,
    client: new Client({ connection, namespace, dataConverter, identity }),
    nativeConnection: () => {
      native ??= connectNative().catch((error: unknown) => {
        native = undefined
        throw error
      })
      return native
    },
    close: async () => {
      const opened = await native?.catch(() => undefined)
      try {
        await opened?.close()
      } finally {
        await connection.close()
      }
    },
  }
}

const accessOptions = (server: ReachedServer, env: NodeJS.ProcessEnv) => {
  if (server.kind === "embedded") return { address: server.address }
  const { address, apiKey, tls, metadata } = loadConnectionProfile(env)?.connectionOptions ?? {}
  // Credentials are sent only to the server that they are configured for.
  return address === server.address && typeof apiKey !== "function"
    ? { address, apiKey, tls, metadata }
    : { address: server.address }
}

const unanswered = (address: string): AdjutantError =>
  new AdjutantError(
    "temporal_unavailable",
    `Temporal at ${address} does not answer: check that it is running and try again`,
  )
