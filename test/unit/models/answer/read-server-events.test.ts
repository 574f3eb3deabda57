import { describe, expect, it } from "vitest"
import { readServerEvents } from "../../../../models/answer/read-server-events.ts"

/** Reads a body that arrives in pieces of `size` bytes. */
const read = async (body: string, size = body.length) => {
  const bytes = new TextEncoder().encode(body)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  )
  const events = readServerEvents(new Response(ReadableStream.from(pieces)))
  const data: unknown[] = []
  for await (const event of events) data.push(event)
  return { data, isDocument: events.isDocument }
}

describe("the body of an answer", () => {
  it.each([1, 2, 3, 7, 1_000])("is read in pieces of %i bytes", async (size) => {
    const stream =
      ': ping\r\n\r\nevent: a\r\ndata: {"text":"é漢🙂"}\r\n\r\ndata: {"n":1}\n\ndata: [DONE]\n\ndata: {"late":1}\n\n'
    expect(await read(stream, size)).toEqual({ data: [{ text: "é漢🙂" }, { n: 1 }], isDocument: false })
    expect(await read(' \n{"choices":[1,\n2]}', size)).toEqual({ data: [{ choices: [1, 2] }], isDocument: true })
  })

  it("can end without a line break, or be empty", async () => {
    expect(await read('data: {"n":1}')).toMatchObject({ data: [{ n: 1 }] })
    expect(await read("")).toEqual({ data: [], isDocument: false })
  })

  it.each([
    ['data: {"n":1}\n\nevent: error\ndata: {"message":"m"}\n\n', { error: { message: "m" }, hasBegun: true }],
    ['data: {"error":{"code":"429"}}\n\n', { error: { code: "429" }, hasBegun: false }],
    ['data: {"type":"error","error":{"type":"overloaded_error"}}\n\n', { error: { type: "overloaded_error" } }],
    ['data: {"object":"error","message":"m"}\n\n', { error: { message: "m" } }],
    ['data: {"detail":"d"}\n\n', { error: { detail: "d" } }],
    ['{"error":"e"}', { error: "e", hasBegun: false }],
    ['[{"error":{"code":400}}]', { error: [{ error: { code: 400 } }] }],
  ])("reports its error: %s", async (body, failure) => {
    await expect(read(body)).rejects.toMatchObject({ name: "ReportedFailure", ...failure })
  })

  it.each([
    ['data: {"error":null,"choices":[]}\n\n'],
    ['data: {"object":"response","error":{"code":"x"}}\n\n'],
    ['data: {"type":"response.failed","response":{"error":{"code":"x"}}}\n\n'],
  ])("leaves to its reader what is not an error itself: %s", async (body) => {
    expect((await read(body)).data).toHaveLength(1)
  })

  it("that is JSON and breaks off can be complete another time, and a page of HTML cannot", async () => {
    await expect(read('{"choices":')).rejects.toMatchObject({ kind: "retry" })
    await expect(read("<!doctype html><title>x</title>")).rejects.toMatchObject({ kind: "bad_request" })
  })
})
