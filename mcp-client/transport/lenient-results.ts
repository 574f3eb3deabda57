import { isSpecType, specTypeSchemas } from "@modelcontextprotocol/client"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { isRecord } from "../../domain/text/is-record.ts"

type AnswerFields = Readonly<Record<string, unknown>>

/** Returns the names of the fields because of which a value is refused, and why. */
const refusedFields = (schema: "Tool" | "ContentBlock", value: unknown) => {
  const checked = specTypeSchemas[schema]["~standard"].validate(value)
  const issues = checked instanceof Promise || checked.issues === undefined ? [] : checked.issues
  return issues.map(({ path, message }) => {
    const first = path?.[0]
    return { field: String(typeof first === "object" ? first.key : (first ?? "")), message }
  })
}

const without = (value: AnswerFields, names: readonly string[]): AnswerFields =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))

/** Returns a block that clients read: as it is, without fields that are not needed, or else as a text. */
const readBlock = (block: unknown): unknown => {
  if (isSpecType.ContentBlock(block)) return block
  if (typeof block === "string") return { type: "text", text: block }
  if (isRecord(block)) {
    const { type, text, data, mimeType, uri, name, resource } = block
    const needed = { type, text, data, mimeType, uri, name, resource }
    if (isSpecType.ContentBlock(needed)) return needed
  }
  return { type: "text", text: JSON.stringify(block) ?? "" }
}

/** Returns the result of a call with what a client refuses replaced by its text: what the server did must reach the reader. */
const readCall = (result: AnswerFields): AnswerFields => {
  const { content, structuredContent, isError, resultType } = result
  // A question instead of a result.
  if (resultType !== undefined && resultType !== "complete") return result
  const blocks = Array.isArray(content) ? content : content === undefined || content === null ? [] : [content]
  // From revision 2026-07-28 on, which has a type of result, it may be any value.
  const isOdd = structuredContent !== undefined && !isRecord(structuredContent) && resultType === undefined
  const odd = isOdd
    ? [
        { type: "text", text: JSON.stringify(structuredContent) },
        { type: "text", text: "(the structured content is not an object, as the protocol requires)" },
      ]
    : []
  const refused = [
    ...(isOdd ? ["structuredContent"] : []),
    ...(isError === undefined || typeof isError === "boolean" ? [] : ["isError"]),
  ]
  return {
    ...without(result, refused),
    content: [...blocks.map(readBlock), ...odd],
    ...(refused.includes("isError") && isError !== null ? { isError: isError === "true" || isError === 1 } : {}),
  }
}

/** Something in a server's list that cannot be used. */
export interface UnusableTool {
  /** The tool's name, or its position in the list; absent if it is more than one tool. */
  readonly name?: string
  readonly reason: string
}

const maxShownName = 200

/** Returns a tool without the optional fields that are refused, or why it cannot be used. */
const readTool = (tool: unknown, index: number): { readonly tool: unknown } | { readonly unusable: UnusableTool } => {
  const refused = refusedFields("Tool", tool)
  if (refused.length === 0) return { tool }
  const mended = isRecord(tool)
    ? without(
        tool,
        refused.map(({ field }) => field),
      )
    : tool
  const [left] = refusedFields("Tool", mended)
  if (left === undefined) return { tool: mended }
  const named = isRecord(tool) && typeof tool["name"] === "string" ? tool["name"] : `number ${index + 1}`
  const name = startOf(named, maxShownName)
  return { unusable: { name, reason: left.field === "" ? "it is not an object" : `${left.field}: ${left.message}` } }
}

/** What is read of one page of a list of tools. */
export interface ReadPage {
  readonly result: AnswerFields
  readonly unusable: readonly UnusableTool[]
}

const readPage = (result: AnswerFields): ReadPage => {
  const { tools } = result
  if (!Array.isArray(tools)) return { result, unusable: [] }
  const read = tools.map(readTool)
  const { resultType, ttlMs, cacheScope } = result
  const isCacheable = resultType === undefined || (typeof ttlMs === "number" && typeof cacheScope === "string")
  return {
    result: {
      ...result,
      ...(isCacheable ? {} : { ttlMs: 0, cacheScope: "private" }),
      tools: read.flatMap((each) => ("tool" in each ? [each.tool] : [])),
    },
    unusable: read.flatMap((each) => ("unusable" in each ? [each.unusable] : [])),
  }
}

/** A request whose answer is read. */
interface SentRequest {
  readonly method: string
  /** Whether it asks for a page after the first one. */
  readonly isLaterPage: boolean
}

export interface LenientReader {
  /** Remembers a request, to read its answer. */
  sent(message: object): void
  /** Returns an answer in a form that the client accepts; other messages as they are. */
  read<Message extends object>(message: Message): Message
}

/**
 * Reads the answers of a server field by field. The SDK's client refuses a whole answer because of one field of one entry: a tool that has run would be
 * reported as failed, and all tools of a server be hidden because of one.
 */
export const createLenientReader = (onUnusable: (tool: UnusableTool) => void): LenientReader => {
  const requests = new Map<unknown, SentRequest>()
  const answerTo = ({ method, isLaterPage }: SentRequest, message: AnswerFields): AnswerFields => {
    const { result } = message
    if (method === "tools/call") return isRecord(result) ? { ...message, result: readCall(result) } : message
    const page = isRecord(result) && Array.isArray(result["tools"]) ? readPage(result) : undefined
    if (page !== undefined) {
      page.unusable.forEach(onUnusable)
      return { ...message, result: page.result }
    }
    if (!isLaterPage) return message
    onUnusable({ reason: "a page of the list could not be read" })
    const { error: _, ...rest } = message
    return { ...rest, result: { ...(isRecord(result) ? without(result, ["nextCursor"]) : {}), tools: [] } }
  }
  return {
    sent(message) {
      if (!("method" in message)) return
      const params = "params" in message && isRecord(message.params) ? message.params : {}
      if (message.method === "notifications/cancelled") requests.delete(params["requestId"])
      if (!("id" in message) || (message.method !== "tools/call" && message.method !== "tools/list")) return
      const { id, method } = message
      requests.set(id, { method, isLaterPage: params["cursor"] !== undefined })
    },
    read<Message extends object>(message: Message): Message {
      if (!("id" in message) || "method" in message) return message
      const request = requests.get(message.id)
      requests.delete(message.id)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an answer to the same request, which the client validates
      return request === undefined ? message : (answerTo(request, { ...message }) as Message)
    },
  }
}
