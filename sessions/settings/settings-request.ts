import type { StartRequest } from "../start/start-request.ts"

/** What is asked of a run's settings. Everything but the directory has a default. */
export interface SettingsRequest extends Pick<
  StartRequest,
  | "agent"
  | "model"
  | "thinking"
  | "tools"
  | "maxSteps"
  | "timeoutSeconds"
  | "budgetUsd"
  | "budgetTokens"
  | "sandbox"
  | "approval"
  | "pauseOnText"
  | "systemPrompt"
  | "subagent"
> {
  /** The real path of the working directory, where the caller may work. */
  readonly cwd: string
}
