import type { OfficialArchive } from "./official-archive.ts"

/** Options of a search for the `temporal` program. */
export interface ProgramSearch {
  readonly env: NodeJS.ProcessEnv
  /** Called with lines for a waiting person. */
  readonly onProgress?: (line: string) => void
  readonly signal?: AbortSignal
  /** What is downloaded; default the official archive for this system. */
  readonly archive?: OfficialArchive
  /** A download without progress for this long is abandoned. */
  readonly downloadStallMs?: number
  /** Time between two progress lines. */
  readonly progressEveryMs?: number
}

export interface TemporalProgram {
  /** Absolute path. */
  readonly path: string
  readonly source: "path" | "cache" | "download" | "go"
}

/** Whether the program is at the requested path; if not, the reason, without secrets. */
export type ProgramAttempt = { readonly ok: true } | { readonly ok: false; readonly reason: string }
