import { noTokens, type UsageTotals } from "../limits/usage-totals.ts"
import { isRecord } from "../text/is-record.ts"
import { parseJson } from "../text/json/parse-json.ts"

/** In which form a program writes its answer; `auto` recognises it. */
export type ProgramOutput = "auto" | "text" | "json" | "claude" | "gemini" | "codex"

/** What a program said. */
export interface ProgramAnswer {
  readonly text: string
  /** Why the program failed, in its own words. */
  readonly failure?: string
  /** What it reports to have used; the cost is null if it names none. */
  readonly usage?: UsageTotals
}

type Json = Readonly<Record<string, unknown>>
type Reader = (values: readonly Json[]) => ProgramAnswer | undefined

const textOfValue = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const count = (value: unknown): number =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.trunc(value) : 0

const costOf = (usd: unknown): number | null =>
  typeof usd === "number" && Number.isFinite(usd) && usd >= 0 ? Math.round(usd * 1_000_000) : null

const recordAt = (value: Json, name: string): Json => (isRecord(value[name]) ? value[name] : {})

const failureText = (value: unknown): string =>
  isRecord(value) && typeof value["message"] === "string" ? value["message"] : textOfValue(value)

/** `claude --output-format json`, or the last line of `stream-json`. */
const readClaude: Reader = (values) => {
  const value = values.findLast(({ type, result, subtype }) => type === "result" && (result ?? subtype) !== undefined)
  if (value === undefined) return undefined
  const usage = recordAt(value, "usage")
  const text = value["result"] === undefined ? "" : textOfValue(value["result"])
  return {
    text,
    ...(value["is_error"] === true ? { failure: text === "" ? textOfValue(value["subtype"]) : text } : {}),
    usage: {
      ...noTokens,
      inputTokens: count(usage["input_tokens"]),
      outputTokens: count(usage["output_tokens"]),
      cacheReadTokens: count(usage["cache_read_input_tokens"]),
      cacheWriteTokens: count(usage["cache_creation_input_tokens"]),
      costMicroUsd: costOf(value["total_cost_usd"]),
    },
  }
}

/** `gemini --output-format json`: the answer, the tokens of each model, and the error. */
const readGemini: Reader = (values) => {
  const value = values.at(-1)
  if (value === undefined || values.length > 1 || !("response" in value || ("error" in value && "stats" in value)))
    return undefined
  const models = Object.values(recordAt(recordAt(value, "stats"), "models")).filter(isRecord)
  const sum = (name: string): number =>
    models.reduce((total, model) => total + count(recordAt(model, "tokens")[name]), 0)
  const cached = sum("cached")
  const hasFailed = value["error"] !== undefined && value["error"] !== null
  return {
    text: value["response"] === undefined || value["response"] === null ? "" : textOfValue(value["response"]),
    ...(hasFailed ? { failure: failureText(value["error"]) } : {}),
    ...(models.length === 0
      ? {}
      : {
          usage: {
            ...noTokens,
            inputTokens: Math.max(0, sum("prompt") - cached),
            outputTokens: sum("candidates") + sum("thoughts"),
            cacheReadTokens: cached,
            reasoningTokens: sum("thoughts"),
            costMicroUsd: null,
          },
        }),
  }
}

/** The events of `codex exec --json`: the last message, the tokens of each turn, and why a turn failed. */
const readCodex: Reader = (values) => {
  const isEvent = ({ type }: Json): boolean => typeof type === "string" && /^(thread|turn|item)\./.test(type)
  if (!values.some(isEvent)) return undefined
  const items = values.filter(({ type }) => type === "item.completed").map((value) => recordAt(value, "item"))
  const message = items.findLast(({ type, item_type: itemType }) => (type ?? itemType) === "agent_message")
  const failed = values.findLast(({ type }) => type === "turn.failed" || type === "error")
  const turns = values.filter(({ type }) => type === "turn.completed").map((value) => recordAt(value, "usage"))
  const sum = (name: string): number => turns.reduce((total, usage) => total + count(usage[name]), 0)
  const cached = sum("cached_input_tokens")
  return {
    text: message === undefined ? "" : textOfValue(message["text"] ?? ""),
    ...(failed === undefined ? {} : { failure: failureText(failed["error"] ?? failed) }),
    ...(turns.length === 0
      ? {}
      : {
          usage: {
            ...noTokens,
            inputTokens: Math.max(0, sum("input_tokens") - cached),
            outputTokens: sum("output_tokens"),
            cacheReadTokens: cached,
            reasoningTokens: sum("reasoning_output_tokens"),
            costMicroUsd: null,
          },
        }),
  }
}

/** One JSON object with `result`. */
const readResult: Reader = (values) => {
  const value = values.at(-1)
  if (value === undefined || values.length > 1 || !("result" in value)) return undefined
  return { text: textOfValue(value["result"]) }
}

const readers: Readonly<Record<Exclude<ProgramOutput, "text">, readonly Reader[]>> = {
  auto: [readClaude, readResult, readGemini, readCodex],
  json: [readResult],
  claude: [readClaude],
  gemini: [readGemini],
  codex: [readCodex],
}

const parsed = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Returns the JSON objects of an output: one document, or one in each line. Other lines are left out. */
const valuesOf = (stdout: string): readonly Json[] => {
  const whole = parsed(stdout)
  if (whole !== undefined) return (Array.isArray(whole) ? whole : [whole]).filter(isRecord)
  return stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map(parsed)
    .filter(isRecord)
}

/** Reads what a program said, however it ended. If its output does not have the expected form, all of it is the answer. */
export const readProgramAnswer = (stdout: string, output: ProgramOutput): ProgramAnswer => {
  const plain = { text: stdout.trimEnd() }
  if (output === "text" || !stdout.includes("{")) return plain
  const values = valuesOf(stdout)
  for (const read of readers[output]) {
    const answer = read(values)
    if (answer !== undefined) return answer
  }
  return plain
}
