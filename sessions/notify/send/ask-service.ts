import type { Irreplaceable, NoticeAnswer, NoticeRequest } from "../../../domain/notify/notice.ts"
import { parseJson } from "../../../domain/text/json/parse-json.ts"
import { outgoing } from "../../../network/outgoing.ts"

const maxAnswer = 1_000_000

export const ignore = () => undefined

/** Deliveries report what failed: the libraries of the services log nothing. */
export const silentLog = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/** Returns the JSON of an answer; undefined if it is too long or something else. */
export const jsonOf = (text: string): unknown => {
  try {
    return text.length > maxAnswer ? undefined : parseJson(text)
  } catch {
    return undefined
  }
}

/** Returns how long a service asks to wait. */
export const retryAfterMs = (headers: Headers): number | undefined => {
  const value = headers.get("retry-after")?.trim() ?? ""
  if (value === "") return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Sends a message to its service once. Rejects if the service cannot be reached. */
export const askService = async (
  { url, method, headers, body, read }: NoticeRequest,
  signal: AbortSignal,
): Promise<NoticeAnswer | Irreplaceable> => {
  const response = await outgoing(url, { method, redirect: "manual", headers, body, signal })
  const afterMs = retryAfterMs(response.headers)
  const answer = { status: response.status, body: jsonOf(await response.text()) }
  return read(afterMs === undefined ? answer : { ...answer, retryAfterMs: afterMs })
}
