import { createParser } from "eventsource-parser"
import { isRecord } from "../../domain/text/is-record.ts"
import { parseJson } from "../../domain/text/json/parse-json.ts"
import { ReportedFailure } from "../failure/reported-failure.ts"
import { ModelError } from "../model-error.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

/** The data of a provider's answer: the events of a stream, or the document that a server sent in its place. */
export interface AnswerEvents extends AsyncIterable<unknown> {
  /** Whether the answer was a document. Known once it was read. */
  readonly isDocument: boolean
}

/**
 * Reads the body of an answer with status 200. Throws a `ReportedFailure` if an event or the document is an error, and a `ModelError` that is not retried
 * if it is neither a stream nor JSON.
 */
export const readServerEvents = (response: Response): AnswerEvents => new ResponseEvents(response)

class ResponseEvents implements AnswerEvents {
  isDocument = false
  readonly #response: Response

  constructor(response: Response) {
    this.#response = response
  }

  async *[Symbol.asyncIterator](): AsyncGenerator {
    const { headers } = this.#response
    const decoder = new EventDecoder()
    let hasBegun = false
    for await (const event of decodedEvents(this.#response, decoder)) {
      if (event === done) return
      const error = reportedError(event.data, event.name)
      if (error !== undefined) throw new ReportedFailure(error, { headers, hasBegun })
      yield event.data
      hasBegun = true
    }
    const document = decoder.document()
    if (document === undefined) return
    this.isDocument = true
    const value = parsedDocument(document)
    const error = reportedError(value)
    if (error !== undefined) throw new ReportedFailure(error, { headers, hasBegun: false })
    yield value
  }
}

async function* decodedEvents({ body }: Response, decoder: EventDecoder): AsyncGenerator<DecodedEvent> {
  for await (const bytes of body ?? []) yield* decoder.feed(bytes)
  yield* decoder.end()
}

interface DecodedEvent {
  readonly name: string | undefined
  readonly data: unknown
}

/** The event with which a Chat Completions stream says that it is complete. */
const done = { name: undefined, data: "[DONE]" } as const

/** Decodes bytes to the events of a stream. A body that begins like JSON or HTML is kept as a document. */
class EventDecoder {
  readonly #decoder = new TextDecoder()
  #events: DecodedEvent[] = []
  #kind: "unknown" | "stream" | "document" = "unknown"
  #text = ""
  readonly #parser = createParser({
    onEvent: ({ event, data }) => {
      if (data.trim() === "") return
      this.#events.push(data.trim() === done.data ? done : { name: event, data: parseJson(data) })
    },
  })

  /** Throws a SyntaxError at an event that is not JSON. */
  feed(bytes: Uint8Array): readonly DecodedEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true })
    if (this.#kind === "stream") return this.#parse(text)
    this.#text += text
    const first = this.#text.trimStart().at(0)
    if (this.#kind === "document" || first === undefined) return []
    this.#kind = first === "{" || first === "[" || first === "<" ? "document" : "stream"
    return this.#kind === "stream" ? this.#parse(this.#text) : []
  }

  /** Returns the events of a stream whose last line break is missing. */
  end(): readonly DecodedEvent[] {
    return this.#kind === "stream" ? this.#parse("\n\n") : []
  }

  document(): string | undefined {
    return this.#kind === "document" ? this.#text.trim() : undefined
  }

  #parse(text: string): readonly DecodedEvent[] {
    this.#parser.feed(text)
    const events = this.#events
    this.#events = []
    return events
  }
}

const maxShownCharacters = 200

const parsedDocument = (text: string): unknown => {
  if (text.startsWith("<"))
    throw new ModelError("bad_request", 'the server answered with a page of HTML; check baseUrl under "models"')
  try {
    return parseJson(text)
  } catch {
    throw new ModelError(
      "retry",
      `the JSON of the server's answer is not complete: ${startOf(text, maxShownCharacters)}`,
    )
  }
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== ""

/** Returns the error that an event or a document is, or has in its first choice; undefined if it is none. */
const reportedError = (data: unknown, name?: string): unknown => {
  // A list is what Google wraps around an error.
  if (Array.isArray(data)) return data
  if (!isRecord(data)) return name === "error" ? data : undefined
  if (isPresent(data["error"]) && data["object"] !== "response") return data["error"]
  if (name === "error" || data["type"] === "error" || data["object"] === "error") return data
  const choice: unknown = Array.isArray(data["choices"]) ? data["choices"][0] : undefined
  if (isRecord(choice) && isPresent(choice["error"])) return choice["error"]
  const isBare = !("choices" in data) && !("type" in data) && !("object" in data)
  return isBare && ("detail" in data || "message" in data) ? data : undefined
}
