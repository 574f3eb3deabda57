import { canonicalJson } from "../../domain/text/json/canonical-json.ts"
import type { SpawnCall, SpawnOutcome } from "../../sessions/spawn/spawn-request.ts"
import type { McpContext, ClientToolCall } from "../mcp-context.ts"

/** How long a repeated call gets what the call started that its client gave up. */
const rememberedMs = 60_000

interface Start {
  readonly key: string
  readonly signal: AbortSignal
  readonly outcome: Promise<SpawnOutcome>
  /** When the client gave up the call; undefined while it waits for the answer. */
  givenUpAt: number | undefined
}

/** The starts of this process that are not answered, by store: over HTTP, each request has a server of its own. */
const unanswered = new WeakMap<object, Set<Start>>()

const startsIn = (store: object): Set<Start> => {
  const starts = unanswered.get(store) ?? new Set()
  unanswered.set(store, starts)
  return starts
}

const warning = "the same call was given up a moment ago, and this is what it started"

const asRepeated = (outcome: Extract<SpawnOutcome, { kind: "started" }>): SpawnOutcome => ({
  ...outcome,
  child: { ...outcome.child, warning: [outcome.child.warning, warning].filter(Boolean).join("; ") },
})

/**
 * Starts a sub-agent, unless the client gave up the same call before it was answered: then returns what that call started. Equal calls that are both
 * answered start two.
 */
export const startOnce = (
  { store, caller }: Pick<McpContext, "store" | "caller">,
  { args, signal }: Pick<ClientToolCall, "args" | "signal">,
  { tool, start }: { readonly tool: SpawnCall["tool"]; readonly start: () => Promise<SpawnOutcome> },
): Promise<SpawnOutcome> => {
  const starts = startsIn(store)
  for (const each of starts)
    if (each.givenUpAt !== undefined && Date.now() - each.givenUpAt >= rememberedMs) starts.delete(each)
  const key = canonicalJson([caller, tool, args])
  const earlier = [...starts].find((each) => each.key === key && each.givenUpAt !== undefined)
  if (earlier !== undefined) starts.delete(earlier)
  const outcome =
    earlier === undefined
      ? start()
      : earlier.outcome.then(
          (before) => (before.kind === "started" ? asRepeated(before) : start()),
          () => start(),
        )
  const begun: Start = { key, signal, outcome, givenUpAt: signal.aborted ? Date.now() : undefined }
  signal.addEventListener("abort", () => (begun.givenUpAt ??= Date.now()), { once: true })
  starts.add(begun)
  return outcome
}

/** Forgets what a call started whose answer the client gets. */
export const startsAnswered = (store: object, signal: AbortSignal): void => {
  if (signal.aborted) return
  const starts = startsIn(store)
  for (const each of starts) if (each.signal === signal) starts.delete(each)
}
