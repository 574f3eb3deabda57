import {
  INVALID_REQUEST,
  parseJSONRPCMessage,
  serializeMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE,
} from "@modelcontextprotocol/server"

const lineEnd = 10

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
  let parts: Buffer[] = []
  let size = 0
  const take = (part: Buffer): Buffer => {
    const whole = Buffer.concat([...parts, part])
    parts = []
    size = 0
    return whole
  }
  for await (const chunk of input) {
    let rest =
      typeof chunk === "string" ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    for (let end = rest.indexOf(lineEnd); end !== -1; end = rest.indexOf(lineEnd)) {
      const line = take(rest.subarray(0, end + 1))
      rest = rest.subarray(end + 1)
      const refusal = answerToInvalid(line.toString("utf8"))
      if (refusal === undefined) yield line
      else answer(refusal)
    }
    parts.push(rest)
    size += rest.length
    // The SDK ends a connection with a line of this size.
    if (size > STDIO_DEFAULT_MAX_BUFFER_SIZE) yield take(Buffer.alloc(0))
  }
}
