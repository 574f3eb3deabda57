import type { DestinationAt } from "../../../contracts/config/notify.ts"
import type { StoredNotice } from "../../../domain/notify/notice.ts"
import { personOf } from "../../../domain/people/person.ts"
import { isRecord } from "../../../domain/text/is-record.ts"
import { parseJson } from "../../../domain/text/json/parse-json.ts"
import { outgoing } from "../../../network/outgoing.ts"
import type { SessionsContext } from "../../sessions-context.ts"
import { takePress } from "./take-reply.ts"

const telegramTimeoutMs = 15_000
/** Telegram's limit for the answer to a button. */
const maxAnswer = 190

interface Bot {
  readonly apiUrl: string
  readonly token: string
}

const call = async ({ apiUrl, token }: Bot, method: string, fields: object): Promise<unknown> => {
  const response = await outgoing(`${apiUrl}/bot${token}/${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(fields),
    signal: AbortSignal.timeout(telegramTimeoutMs),
  })
  const answer = parseJson(await response.text())
  if (!isRecord(answer) || answer["ok"] !== true)
    throw new Error(`${method}: DestinationAt<"telegram"> answered ${response.status}`)
  return answer["result"]
}

interface Press {
  readonly updateId: number
  readonly id: string
  readonly userId: string
  readonly chatId: number | undefined
  readonly data: string
}

const pressOf = (update: unknown): Press | undefined => {
  const query = isRecord(update) ? update["callback_query"] : undefined
  if (!isRecord(update) || !isRecord(query) || !isRecord(query["from"])) return undefined
  const { id, data, message } = query
  const updateId = update["update_id"]
  const userId = query["from"]["id"]
  if (typeof updateId !== "number" || typeof userId !== "number" || typeof id !== "string" || typeof data !== "string")
    return undefined
  const chat = isRecord(message) && isRecord(message["chat"]) ? message["chat"]["id"] : undefined
  return { updateId, id, userId: String(userId), data, chatId: typeof chat === "number" ? chat : undefined }
}

/** Decides what a press asks for, in the name of the Telegram user, who must be one of `people`. Returns what they are told. */
const take = async (
  context: SessionsContext,
  { data, userId, chatId }: Press,
  destination: DestinationAt<"telegram">,
): Promise<string> => {
  const { store, loaded } = context
  const identity = { kind: "telegram", id: userId } as const
  if (chatId !== destination.chatId) return "This button is not of the configured chat."
  if (personOf(loaded.config.people, identity) === undefined)
    return `No decision was made: the Telegram user ${userId} is not in people.`
  const [, action, key = ""] = /^(accept|reject) (dlv_[0-9a-f]{32})$/.exec(data) ?? []
  const row = await store.deliveries.get(key)
  const body: StoredNotice | undefined = row?.kind === "destination" ? JSON.parse(row.body) : undefined
  const checkpointId = body?.destination.type === "telegram" ? body.notice.checkpointId : undefined
  const pause = checkpointId === undefined ? undefined : await store.pauses.byCheckpoint(checkpointId)
  if (pause === undefined || (action !== "accept" && action !== "reject")) return "This button is not of this server."
  const actor = { by: userId, via: "telegram", kind: "person", identity } as const
  return (await takePress(context, pause, { action, actor })) ?? "Nothing is left to decide."
}

/** Reads the presses of a bot's buttons since the last look, and decides. Returns where the next look begins: DestinationAt<"telegram"> forgets what is before it. */
export const readTelegram = async (
  context: SessionsContext,
  destination: DestinationAt<"telegram">,
  { token, offset = 0 }: { readonly token: string; readonly offset?: number | undefined },
): Promise<number> => {
  const bot = { apiUrl: destination.apiUrl ?? "https://api.telegram.org", token }
  const updates = await call(bot, "getUpdates", { offset, timeout: 0, allowed_updates: ["callback_query"] })
  let next = offset
  for (const update of Array.isArray(updates) ? updates : []) {
    const press = pressOf(update)
    if (press !== undefined) {
      const text = (await take(context, press, destination)).slice(0, maxAnswer)
      await call(bot, "answerCallbackQuery", { callback_query_id: press.id, text, show_alert: true }).catch(
        () => undefined,
      )
    }
    const id = isRecord(update) ? update["update_id"] : undefined
    if (typeof id === "number") next = id + 1
  }
  return next
}
