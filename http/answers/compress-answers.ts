import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import type { FastifyInstance } from "fastify"

/** The shorter one first. */
export const encodings = ["br", "gzip"] as const
export type Encoding = (typeof encodings)[number]

/** Shorter answers are not worth it. */
const leastBytes = 1_024

const [gzipAsync, brotliAsync] = [promisify(gzip), promisify(brotliCompress)]

/** Returns the shorter of the encodings that a client accepts; undefined if it accepts none of them. A weight of zero refuses one. */
export const acceptedEncoding = (header: string | readonly string[] | undefined): Encoding | undefined => {
  const accepted = new Map(
    String(header ?? "")
      .split(",")
      .map((each) => {
        const [name = "", ...parameters] = each.trim().toLowerCase().split(";")
        return [name.trim(), !parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter))] as const
      }),
  )
  return encodings.find((name) => accepted.get(name) ?? false)
}

/** `best`: for a file that is compressed once. */
export type Effort = "fast" | "best"

/** Returns the compressed content; undefined if it is too short for that, or becomes no shorter. */
export const compressed = async (
  content: string | Buffer,
  encoding: Encoding,
  effort: Effort,
): Promise<Buffer | undefined> => {
  if (Buffer.byteLength(content) < leastBytes) return undefined
  const isBest = effort === "best"
  const short =
    encoding === "gzip"
      ? await gzipAsync(content, { level: isBest ? 9 : 5 })
      : await brotliAsync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: isBest ? 9 : 4 } })
  return short.length < Buffer.byteLength(content) ? short : undefined
}

/** Compresses long answers in JSON for clients that accept that. Answers of the commands of this machine stay as they are: they cross no network. A stream is not a text. */
export const compressAnswers = (app: FastifyInstance): void => {
  app.addHook("onSend", async (request, reply, payload) => {
    if (typeof payload !== "string" || payload.length < leastBytes || request.local !== null) return payload
    if (!String(reply.getHeader("content-type")).startsWith("application/json")) return payload
    if (reply.hasHeader("content-encoding")) return payload
    reply.header("vary", "accept-encoding")
    const encoding = acceptedEncoding(request.headers["accept-encoding"])
    const short = encoding === undefined ? undefined : await compressed(payload, encoding, "fast")
    if (encoding === undefined || short === undefined) return payload
    reply.header("content-encoding", encoding).removeHeader("content-length")
    return short
  })
}
