import type { Liveness } from "../domain/engine/liveness.ts"

/** A Temporal server that this process may use, whichever process started it. */
export interface RunningServer {
  /** `external`: TEMPORAL_ADDRESS (or a profile) names it; `embedded`: shared by the users of one data directory. */
  readonly kind: "external" | "embedded"
  readonly address: string
  readonly namespace: string
  /** URL of the web UI, if known. */
  readonly uiUrl: string | undefined
  /** False if the search attributes could not be registered; then workflows do not set them. */
  readonly hasSearchAttributes: boolean
  /** Ends this process's use. The embedded server stops when its last user has left. */
  release(): Promise<void>
}

/** The data needed to connect to a server. */
export type ReachedServer = Pick<RunningServer, "kind" | "address" | "namespace">

/** Returns the location of a server as text for people. An embedded one may get another port with every start. */
export const placeOf = ({ kind, address }: Pick<ReachedServer, "kind" | "address">, dataDir: string): string =>
  kind === "embedded" ? `${address} (embedded in ${dataDir})` : address

/** Returns the liveness profile that suits a server, unless the configuration names one. */
export const livenessOf = ({ kind }: Pick<ReachedServer, "kind">): Liveness =>
  kind === "embedded" ? "embedded" : "cluster"
