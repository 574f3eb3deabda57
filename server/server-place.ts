import type { ReachedServer } from "./running-server.ts"

/** Where a server is, for people: an embedded one gets another port whenever it starts. */
export const placeOf = ({ kind, address }: Pick<ReachedServer, "kind" | "address">, dataDir: string): string =>
  kind === "embedded" ? `${address} (embedded in ${dataDir})` : address
