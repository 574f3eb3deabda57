import type { DestinationAt } from "../../../contracts/config/notify.ts"
import { ntfyTopics } from "../../../domain/notify/services/ntfy.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import { parseJson } from "../../../domain/text/json/parse-json.ts"
import { outgoing } from "../../../network/outgoing.ts"
import type { SessionsContext } from "../../sessions-context.ts"
import { takeWord } from "./take-reply.ts"

const ntfyTimeoutMs = 15_000
const maxAnswer = 2_000_000
/** How long servers keep messages by default: what was published while this process, or its machine, rested. */
const firstLook = "12h"

const messagesIn = (text: string): readonly { readonly id: string; readonly message: string }[] =>
  text
    .slice(0, maxAnswer)
    .split("\n")
    .flatMap((line) => {
      const value: unknown = line.trim() === "" ? undefined : parseJson(line)
      if (!isRecord(value) || value["event"] !== "message") return []
      const { id, message } = value
      return typeof id === "string" && typeof message === "string" ? [{ id, message }] : []
    })

const headersOf = (token: string): Record<string, string> => (token === "" ? {} : { authorization: `Bearer ${token}` })

/** Publishes what became of the press. Best effort: the decision is made. */
const answer = async (destination: DestinationAt<"ntfy">, token: string, message: string): Promise<void> => {
  const { origin, topic } = ntfyTopics(destination)
  const headers = { "content-type": "application/json", ...headersOf(token) }
  const body = JSON.stringify({ topic, title: "Adjutant", message, priority: 3 })
  const response = await outgoing(`${origin}/`, {
    method: "POST",
    headers,
    body,
    signal: AbortSignal.timeout(ntfyTimeoutMs),
  })
  await response.body?.cancel()
}

/** Reads what the buttons of a topic published since the last look, and decides. Returns where the next look begins. */
export const readNtfy = async (
  context: SessionsContext,
  destination: DestinationAt<"ntfy">,
  { token, since = firstLook }: { readonly token: string; readonly since?: string | undefined },
): Promise<string> => {
  const { origin, reply } = ntfyTopics(destination)
  const url = `${origin}/${reply}/json?poll=1&since=${encodeURIComponent(since)}`
  const response = await outgoing(url, { headers: headersOf(token), signal: AbortSignal.timeout(ntfyTimeoutMs) })
  if (!response.ok) {
    await response.body?.cancel()
    throw new Error(`ntfy answered ${response.status} for the topic ${reply}`)
  }
  let last = since
  for (const { id, message } of messagesIn(await response.text())) {
    const [, action, word = ""] = /^(accept|reject) ([\w.-]{20,2000})$/.exec(message.trim()) ?? []
    if (action === "accept" || action === "reject") {
      const told = await takeWord(context, word, action)
      if (told !== undefined) await answer(destination, token, told).catch(() => undefined)
    }
    last = id
  }
  return last
}
