import type { Generated } from "kysely"
import type { TableOf } from "../columns/describe-table.ts"
import type { runTable } from "./run-table.ts"
import type { pauseTable } from "./pause-table.ts"
import type { deliveryTable } from "./delivery-table.ts"
import type { bindingTable } from "./binding-table.ts"
import type { grantTable } from "./grant-table.ts"
import type { profileTable } from "./profile-table.ts"
import type { sessionTable } from "./session-table.ts"
import type { UsageSchema } from "./usage-schema.ts"

/** Times are integer milliseconds since the epoch. `session_num` and `run_num` replace the ids, so that rows and indexes stay small. */
export interface DatabaseSchema extends UsageSchema {
  meta: {
    key: string
    value: string
  }
  sessions: TableOf<typeof sessionTable>
  /** Numbers for run ids, made when an id is first seen. */
  run_ids: {
    num: Generated<number>
    run_id: string
    session_num: number
  }
  runs: TableOf<typeof runTable>
  session_numbers: {
    /** `parent <id>` or `caller <caller>`. */
    owner: string
    last: number
  }
  snapshots: {
    hash: string
    body: string
  }
  messages: {
    session_num: number
    seq: number
    run_num: number
    step: number
    fence: number
    at: number
    /** JSON `Message`. */
    body: string
  }
  inbox: {
    session_num: number
    id: string
    source: string
    /** JSON string. */
    text: string
    at: number
  }
  events: {
    session_num: number
    id: number
    run_num: number
    /** See event-type-code.ts. */
    type: number
    at: number
    ordinal: number | null
    /** Of a delta: the message that it belongs to. */
    delta_seq: number | null
    /** 1: what remains of the message's deltas; its text is read from the message. */
    compacted: number
    /** JSON object; null where it is empty. */
    data: string | null
    /** See schema-dialect.ts. */
    position: Generated<number | null>
  }
  claims: {
    session_num: number
    seq: number
    call_id: string
    tool: string
    /** Of its name and arguments; null in a claim that an earlier version made. */
    call_hash: string | null
    fence: number
    at: number
    done: number
    starts: Generated<number>
    last_start: Generated<number>
  }
  pauses: TableOf<typeof pauseTable>
  call_edits: {
    session_num: number
    seq: number
    call_id: string
    /** JSON object. */
    arguments: string
  }
  grants: TableOf<typeof grantTable>
  profiles: TableOf<typeof profileTable>
  call_previews: {
    session_num: number
    seq: number
    call_id: string
    /** JSON `CallPreview`. */
    preview: string
    /** JSON object; null where the call changes no file. */
    watched: string | null
  }
  shown_folders: {
    session_num: number
    folder: string
    seq: number
  }
  /** What a session has read and written of the files of its working directory. Contents as SHA-256 in hexadecimal. */
  touched_files: {
    session_num: number
    path: string
    seen: string | null
    written: string | null
  }
  media: {
    session_num: number
    id: string
    media_type: string
    sha256: string
    size: number
    /** JSON array: the models whose providers refused it, each as provider/model. */
    refused_by: Generated<string>
    data: Uint8Array
  }
  todos: {
    session_num: number
    todos: string
  }
  audit: {
    id: Generated<number>
    key: string | null
    at: number
    session_id: string
    run_id: string | null
    action: string
    by: string
    via: string
    detail: string
    actor: Generated<string>
    hash: string | null
  }
  idempotency_keys: {
    scope: string
    key: string
    fingerprint: string
    /** When the request that is being answered took the key. */
    claimed_at: number
    expires_at: number
    /** Null while the answer is being made. */
    status: number | null
    body: string | null
  }
  deliveries: TableOf<typeof deliveryTable>
  bindings: TableOf<typeof bindingTable>
  missing_executions: {
    session_num: number
    run_id: string
    claim_id: string
    times: number
    first_seen_at: number
    last_seen_at: number
    accepted_at: number | null
  }
  job_cursors: {
    job: string
    position: string
  }
  orphan_sightings: {
    session_num: number
    execution_id: string
    pass_id: string
    times: number
    first_seen_at: number
  }
  workers: {
    identity: string
    machine: string
    pid: number
    process_start: string
    seen_at: number
  }
  /** Machines that have, or had, a worker. */
  machines: {
    name: string
    seen_at: number
  }
  /** Sessions that may have left background processes on a machine that could not be reached. */
  left_processes: {
    machine: string
    session_id: string
    at: number
  }
  stop_requests: {
    run_id: string
    requested_at: number
  }
  /** The git worktrees of sessions, and what was changed in them. */
  worktrees: {
    session_num: number
    /** See `worktreeStatusSchema`. */
    status: string
    machine: string
    /** The directory in which tools work. */
    path: string
    /** The directory whose files it began with. */
    source: string
    /** Git's hash of all files at the end of the run; null before it, and if they could not be read. */
    tree: string | null
    /** JSON object: what people and models are shown of the changes. */
    details: string | null
    /** The changes: base64 of the compressed patch. */
    patch: string | null
    /** The call that merges the changes, or has merged them. */
    merge_key: string | null
    updated_at: number
  }
}
