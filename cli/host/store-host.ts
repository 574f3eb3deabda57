import type { StoreReader } from "../../client/create-store-reader.ts"
import type { TaskClient } from "../../client/task-client.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Redact } from "../../domain/text/redact.ts"
import type { Store } from "../../store/store.ts"

/** What commands use that only read the store of this machine: neither Temporal nor a worker. */
export interface StoreHost {
  readonly loaded: LoadedConfig
  readonly store: Store
  readonly client: StoreReader & Pick<TaskClient, "info">
  /** Removes known secrets from a text. */
  readonly redact: Redact
  close(): Promise<void>
}

/** What commands use that only read tasks: the store of this machine, or a server. */
export interface ReadingHost extends Pick<StoreHost, "redact" | "close"> {
  readonly client: Pick<
    TaskClient,
    | "inspectTarget"
    | "info"
    | "diff"
    | "list"
    | "search"
    | "approvals"
    | "preview"
    | "messages"
    | "grants"
    | "audit"
    | "usage"
  > &
    Pick<StoreReader, "profiles">
  /** Absent for a server. */
  readonly dataDir?: string
  /** Returns a line about the service of this machine; absent for a server. */
  serviceLine?(): Promise<string>
}

export interface ReadingOptions {
  /** Refuses a missing store, instead of reading an empty one: the command is about a task. */
  readonly mustExist: boolean
}
