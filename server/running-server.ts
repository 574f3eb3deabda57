/** A Temporal server that this process may use, whoever started it. */
export interface RunningServer {
  /** `external`: TEMPORAL_ADDRESS (or a profile) names it; `embedded`: shared by the users of one data directory. */
  readonly kind: "external" | "embedded"
  readonly address: string
  readonly namespace: string
  /** Web UI, where known. */
  readonly uiUrl: string | undefined
  /** False where AgentStatus and the others could not be registered: workflows then do without. */
  readonly hasSearchAttributes: boolean
  /** Ends this process's use; the embedded server stops when its last user has left. */
  release(): Promise<void>
}

/** What it takes to connect to a server. */
export type ReachedServer = Pick<RunningServer, "kind" | "address" | "namespace">

/** Where a server is, for people: an embedded one gets another port whenever it starts. */
export const placeOf = ({ kind, address }: Pick<ReachedServer, "kind" | "address">, dataDir: string): string =>
  kind === "embedded" ? `${address} (embedded in ${dataDir})` : address
