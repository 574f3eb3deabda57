import { INVALID_REQUEST, parseJSONRPCMessage, serializeMessage } from "@modelcontextprotocol/server"
import { splitLines } from "./split-lines.ts"

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Returns the answer to a request that is not a valid message, which the SDK would drop: its client would wait in vain. */
const answerToInvalid = (line: string): string | undefined => {
  const value = parsed(line)
  if (typeof value !== "object" || value === null || !("id" in value) || "result" in value || "error" in value)
    return undefined
  const { id } = value
  if (typeof id !== "string" && typeof id !== "number") return undefined
  try {
    parseJSONRPCMessage(value)
    return undefined
  } catch {
    const message = "the message is not a valid JSON-RPC request; check its method, its params and their _meta"
    return serializeMessage({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } })
  }
}

/** Yields the lines of `input` that the SDK is to read, and answers requests among them that are not valid messages. */
export async function* withoutInvalid(
  input: AsyncIterable<Uint8Array | string>,
  answer: (text: string) => unknown,
): AsyncGenerator<Buffer> {
  for await (const line of splitLines(input)) {
    const refusal = answerToInvalid(line.toString("utf8"))
    if (refusal === undefined) yield line
    else answer(refusal)
  }
}
