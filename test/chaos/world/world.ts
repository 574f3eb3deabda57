import type { StoreOptions } from "../../../store/open-store.ts"
import type { Ground } from "./open-ground.ts"

/** Everything that a chaos run disturbs, and the ground truth that it keeps outside the product. */
export interface World extends Pick<Ground, "folder" | "cwd" | "dataDir" | "receiver" | "ledger" | "logs"> {
  /** Where the store is. */
  readonly store: Pick<StoreOptions, "url" | "dataDir">
  /** Base addresses of the HTTP servers. */
  readonly urls: readonly [string, ...string[]]
  /** Returns host:port of the engine. */
  engineAddress(): string
  /** Stops all processes; removes the folder unless it is kept. */
  close(options: { readonly keep: boolean }): Promise<void>
}
