import type { StartRequest } from "../start/start-request.ts"

/** What is asked of a run's settings. Everything but the directory has a default. */
export interface SettingsRequest extends Omit<
  StartRequest,
  "prompt" | "title" | "label" | "metadata" | "hostQueue" | "sessionId" | "actor"
> {
  /** The real path of the working directory, where the caller may work. */
  readonly cwd: string
}
