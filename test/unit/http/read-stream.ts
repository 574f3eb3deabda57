import { get, type IncomingMessage } from "node:http"

export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: Record<string, unknown>
  readonly comment?: string
}

export interface StreamReader {
  readonly response: IncomingMessage
  readonly frames: readonly Frame[]
  /** Resolves with the first `count` frames, or with fewer if the stream ends. */
  first(count: number): Promise<readonly Frame[]>
  readonly ended: Promise<void>
  close(): void
}

const parseFrame = (text: string): Frame => {
  const lines = text.split("\n")
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const data = field("data")
  const comment = lines.find((line) => line.startsWith(": "))?.slice(2)
  return { id: field("id"), event: field("event"), comment, ...(data === undefined ? {} : { data: JSON.parse(data) }) }
}

/** Opens a reader of a stream of server-sent events. */
export const readStream = (url: string, headers: Record<string, string> = {}): Promise<StreamReader> =>
  new Promise((resolve, reject) => {
    const request = get(url, { headers, agent: false }, (response) => {
      const frames: Frame[] = []
      let rest = ""
      const state = { isOver: false }
      let wake: (() => void)[] = []
      const ring = () => {
        const waiting = wake
        wake = []
        for (const each of waiting) each()
      }
      response.setEncoding("utf8")
      response.on("data", (chunk: string) => {
        const parts = (rest + chunk).split("\n\n")
        rest = parts.pop() ?? ""
        frames.push(...parts.map(parseFrame))
        // A comment without a blank line after it is read at once.
        for (let end = /^: .*\n/.exec(rest)?.[0]; end !== undefined; end = /^: .*\n/.exec(rest)?.[0]) {
          rest = rest.slice(end.length)
          frames.push(parseFrame(end))
        }
        ring()
      })
      const ended = new Promise<void>((end) => {
        response.on("close", () => {
          state.isOver = true
          ring()
          end()
        })
      })
      response.on("error", () => undefined)
      resolve({
        response,
        frames,
        ended,
        first: async (count) => {
          while (frames.length < count && !state.isOver) await new Promise<void>((again) => wake.push(again))
          return frames.slice(0, count)
        },
        close: () => request.destroy(),
      })
    })
    request.on("error", reject)
  })
