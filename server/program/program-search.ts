/** What a search for the `temporal` program works with. */
export interface ProgramSearch {
  readonly env: NodeJS.ProcessEnv
  /** Lines for a person who waits. */
  readonly onProgress?: (line: string) => void
  readonly signal?: AbortSignal
  /** A download that brings nothing for so long is given up. */
  readonly downloadStallMs?: number
  /** Time between two progress lines. */
  readonly progressEveryMs?: number
}

export interface TemporalProgram {
  /** Absolute path. */
  readonly path: string
  readonly source: "path" | "cache" | "download" | "go"
}

/** Either the program is at the asked path, or this says why not, in a clause without secrets. */
export type ProgramAttempt = { readonly ok: true } | { readonly ok: false; readonly reason: string }
