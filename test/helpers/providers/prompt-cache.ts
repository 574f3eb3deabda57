import { createHash } from "node:crypto"
import type { RecordedRequest } from "./fake-provider-server.ts"

/** What a request took from a provider's prompt cache, in tokens. */
export interface CacheUse {
  readonly read: number
  readonly written: number
  /** Tokens that were neither read from the cache nor written to it. */
  readonly uncached: number
}

/** Remembers the beginnings of earlier requests: a beginning is found again only if each of its bytes is the same. */
export interface PromptCache {
  use(request: RecordedRequest): CacheUse
}

interface Segment {
  readonly text: string
  readonly isMarked: boolean
}

interface Prefix {
  readonly hash: string
  /** From the beginning of the prompt, as providers bill it: about four characters each. */
  readonly tokens: number
  readonly isMarked: boolean
}

const charactersPerToken = 4
const smallestCachedTokens = 1_024

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Returns the prompt's beginnings, shortest first: each hash covers all that comes before. */
const prefixesOf = (segments: readonly Segment[]): readonly Prefix[] => {
  const prefixes: Prefix[] = []
  let hash = ""
  let characters = 0
  for (const { text, isMarked } of segments) {
    hash = createHash("sha256").update(hash).update(text).digest("hex")
    characters += text.length
    prefixes.push({ hash, tokens: Math.ceil(characters / charactersPerToken), isMarked })
  }
  return prefixes
}

const toMarkedSegment = (value: unknown, place: string): Segment => {
  if (!isRecord(value)) return { text: `${place}${JSON.stringify(value)}`, isMarked: false }
  const { cache_control: mark, ...rest } = value
  return { text: `${place}${JSON.stringify(rest)}`, isMarked: mark !== undefined }
}

const maxMarks = 4
const lookBackBlocks = 20

/**
 * Imitates the cache of the Messages API. It stores the prompt up to each block with `cache_control` (at most four), and looks for a stored beginning at each mark and
 * up to 20 blocks before it. The order of the prompt is tools, system, messages.
 */
export const createAnthropicCache = (): PromptCache => {
  const stored = new Set<string>()
  return {
    use({ body }) {
      const segments = [
        ...listOf(body["tools"]).map((tool) => toMarkedSegment(tool, "tool")),
        ...listOf(body["system"]).map((block) => toMarkedSegment(block, "system")),
        ...listOf(body["messages"]).flatMap((message) =>
          isRecord(message)
            ? listOf(message["content"]).map((block) => toMarkedSegment(block, String(message["role"])))
            : [],
        ),
      ]
      const prefixes = prefixesOf(segments)
      const marks = prefixes.flatMap(({ isMarked }, index) => (isMarked ? [index] : []))
      if (marks.length > maxMarks)
        throw new Error(`A request has ${marks.length} cache marks; ${maxMarks} are allowed.`)
      const candidates = marks.flatMap((mark) => prefixes.slice(Math.max(0, mark - lookBackBlocks), mark + 1))
      const read = Math.max(0, ...candidates.filter(({ hash }) => stored.has(hash)).map(({ tokens }) => tokens))
      const marked = prefixes.filter(({ isMarked, tokens }) => isMarked && tokens >= smallestCachedTokens)
      for (const { hash } of marked) stored.add(hash)
      const cached = Math.max(read, marked.at(-1)?.tokens ?? 0)
      return { read, written: cached - read, uncached: (prefixes.at(-1)?.tokens ?? 0) - cached }
    },
  }
}

const tokensPerChunk = 128

/** Imitates the cache of the Responses API. It stores every prompt, and finds the longest common beginning among those with the same `prompt_cache_key`. */
export const createOpenAiCache = (): PromptCache => {
  const stored = new Set<string>()
  return {
    use({ body }) {
      const key = String(body["prompt_cache_key"])
      const segments = [body["instructions"], body["tools"], ...listOf(body["input"])].map((part) => ({
        text: JSON.stringify(part ?? null),
        isMarked: false,
      }))
      const prefixes = prefixesOf(segments)
      const common = prefixes.findLast(({ hash }) => stored.has(`${key} ${hash}`))?.tokens ?? 0
      for (const { hash } of prefixes) stored.add(`${key} ${hash}`)
      const read = common < smallestCachedTokens ? 0 : Math.floor(common / tokensPerChunk) * tokensPerChunk
      return { read, written: 0, uncached: (prefixes.at(-1)?.tokens ?? 0) - read }
    },
  }
}

/** Returns the usage as the Messages API reports it. */
export const anthropicUsage = ({ read, written, uncached }: CacheUse) => ({
  usage: { input_tokens: uncached, cache_read_input_tokens: read, cache_creation_input_tokens: written },
})

const outputTokens = 20

/** Returns the usage as the Responses API reports it. */
export const openAiUsage = ({ read, written, uncached }: CacheUse) => {
  const inputTokens = read + written + uncached
  return {
    usage: {
      input_tokens: inputTokens,
      input_tokens_details: { cached_tokens: read },
      output_tokens: outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: inputTokens + outputTokens,
    },
  }
}
