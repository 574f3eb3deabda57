import type { SessionEvent } from "../../contracts/event.ts"
import type { McpContext, ClientToolCall } from "../mcp-context.ts"
import { progressHeartbeatMs } from "./request-progress.ts"
import { shownText } from "./shown-text.ts"

const progressText = (event: SessionEvent): string | undefined => {
  const name = typeof event["name"] === "string" ? shownText(event["name"], 60) : undefined
  switch (event.type) {
    case "step-started":
      return typeof event["step"] === "number" ? `step ${event["step"]}` : "next step"
    case "tool-started":
      return name === undefined ? undefined : `runs ${name}`
    case "run-paused":
      return "paused"
    case "run-finished":
      return "finished"
    case "child-started":
      return "started a sub-agent"
    case "child-finished":
      return "a sub-agent finished"
    case "steering-applied":
      return "steered"
    default:
      return undefined
  }
}

const follow = async (
  { client, store }: McpContext,
  sessionId: string,
  { signal, notify }: { readonly signal: AbortSignal; readonly notify: (message: string) => void },
): Promise<void> => {
  const after = await store.events.lastId(sessionId)
  for await (const event of client.watch(sessionId, { after, signal })) {
    const text = progressText(event)
    if (text !== undefined) notify(`${sessionId}: ${text}`)
  }
}

/** Sends the client the progress of these sessions until the work ends, if the request asked for progress. */
export const withProgress = async <T>(
  context: McpContext,
  { call, ids }: { readonly call: ClientToolCall; readonly ids: readonly string[] },
  work: () => Promise<T>,
): Promise<T> => {
  const { progress: notify } = call
  if (notify === undefined) return await work()
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, call.signal])
  for (const id of ids) follow(context, id, { signal, notify }).catch(() => undefined)
  const heartbeat = setInterval(() => notify(`waiting for ${ids.join(", ")}`), progressHeartbeatMs)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    stop.abort()
  }
}
