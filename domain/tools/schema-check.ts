/** Values to check against a JSON Schema from outside. Some schemas and patterns take practically endless time and memory. */
export interface SchemaJob {
  readonly schema: Readonly<Record<string, unknown>>
  /** Values of which one must validate. Without any, only the schema itself is checked. */
  readonly candidates: readonly unknown[]
  /** What messages call the values, such as `the result`. */
  readonly subject: string
}

export type SchemaVerdict =
  | { readonly kind: "valid" }
  | { readonly kind: "invalid"; readonly problem: string }
  /** The schema cannot be compiled, or the check took too much time or memory. */
  | { readonly kind: "unusable"; readonly problem: string }
  /** The check was not begun: too many others were waiting. */
  | { readonly kind: "busy" }

/** Whose check it is, and how long it may wait. */
export interface SchemaTurn {
  /** The owner of a check. An owner has one check at a time, so that slow checks delay those of their owner only. */
  readonly owner: string
  /** Milliseconds. Without it, the check waits for its turn and is never refused. */
  readonly waitMs?: number
}

/** Checks values away from the event loop, within a time limit. Never rejects. */
export type CheckSchema = (job: SchemaJob, turn: SchemaTurn) => Promise<SchemaVerdict>
