import type { SessionEvent } from "../../contracts/event.ts"
import type { McpContext, ToolCall } from "../mcp-context.ts"
import { visibleText } from "./visible-text.ts"

/** Clients that stop waiting without a word of progress usually do so after a minute. */
const heartbeatMs = 15_000

const textOf = (event: SessionEvent): string | undefined => {
  const name = typeof event["name"] === "string" ? visibleText(event["name"], 60) : undefined
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
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (message: string) => void },
): Promise<void> => {
  const after = await store.events.lastId(sessionId)
  for await (const event of client.watch(sessionId, { after, signal })) {
    const text = textOf(event)
    if (text !== undefined) tell(`${sessionId}: ${text}`)
  }
}

/** Tells the client what happens in these sessions while the work goes on, where it asked to be told. */
export const withProgress = async <T>(
  context: McpContext,
  { call, ids }: { readonly call: ToolCall; readonly ids: readonly string[] },
  work: () => Promise<T>,
): Promise<T> => {
  const { progress: tell } = call
  if (tell === undefined) return await work()
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, call.signal])
  for (const id of ids) follow(context, id, { signal, tell }).catch(() => undefined)
  const heartbeat = setInterval(() => tell(`waiting for ${ids.join(", ")}`), heartbeatMs)
  try {
    return await work()
  } finally {
    clearInterval(heartbeat)
    stop.abort()
  }
}
