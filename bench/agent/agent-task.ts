/** A small real task in a git repository. Scripts are for bash, and run in the repository's folder. */
export interface AgentTask {
  readonly name: string
  /** What the agent is asked to do. */
  readonly prompt: string
  /** Files of the first commit, by path. */
  readonly files: Readonly<Record<string, string>>
  /** Makes what the first commit does not have: more commits, branches. */
  readonly setUp?: string
  /** Files that the agent does not see, which are added before the task is checked. */
  readonly hidden?: Readonly<Record<string, string>>
  /** Ends with 0 if the task is solved. The agent does not see it. */
  readonly verify: string
  /** Solves the task. */
  readonly reference: string
}
