/** The SDK ends a connection with a message of this size. */
export const longestMessage = 10 * 1_048_576

const lineEnd = 10

/** Yields the lines of a stream, with their ends. What follows the last end, and what is longer than a message can be, is yielded without one. */
export async function* splitLines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<Buffer, void, undefined> {
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
      yield line
    }
    parts.push(rest)
    size += rest.length
    if (size > longestMessage) yield take(Buffer.alloc(0))
  }
  if (size > 0) yield take(Buffer.alloc(0))
}
