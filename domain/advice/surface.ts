/** A model that calls delegation tools: an agent in a run, or a client from outside. */
export interface ToolSurface {
  readonly kind: "tool"
  /** The delegation tools that it can call. */
  readonly tools: readonly string[]
  /** Whether it gets the result of a sub-agent as a message. */
  readonly isTold: boolean
  /** Whether it may approve calls. */
  readonly mayApprove: boolean
}

/** A person at a terminal. */
export interface CliSurface {
  readonly kind: "cli"
  /** The words with which another command finds the same tasks. */
  readonly place?: readonly string[]
}

/** Where an advice is read: it names only what can be done there. `chat`: a thread of a channel. `library`: a program that uses the library. */
export type Surface = ToolSurface | CliSurface | { readonly kind: "http" | "chat" | "library" }
