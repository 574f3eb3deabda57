import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ModelProvider } from "../model-provider.ts"
import { findReply } from "./find-turn.ts"
import { type Cassette, cassetteSchema, maxCassetteBytes } from "../../contracts/config/cassette.ts"
import { parseJson } from "../../domain/text/json/parse-json.ts"
import { createAnswersReader } from "../answers-file.ts"

const refused = (file: string, problem: string): AdjutantError =>
  new AdjutantError(
    "invalid_config",
    `${file} is not a cassette that can be used: ${problem}; record it with "adjutant export <task> --cassette <file>"`,
  )

const parse = (text: string, file: string): Cassette => {
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    throw refused(file, "it is not valid JSON")
  }
  const parsed = cassetteSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw refused(file, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "unknown"}`)
}

const readCassette = createAnswersReader(maxCassetteBytes, parse)

/** Returns a cassette. A file is read once per version. */
const loadCassette = async (file: string): Promise<Cassette> => {
  const found = await readCassette(file)
  if (found.kind === "refused") throw refused(file, found.problem)
  return found.content
}

/** The provider that repeats recorded answers offline. docs/test-agents.md describes the file. */
export const cassetteProvider: ModelProvider = {
  async respond(request) {
    const { provider, model, cassette: settings } = request.spec
    if (settings === undefined)
      throw new AdjutantError(
        "invalid_config",
        "a model of the provider cassette requires file, the path of its recording",
      )
    const { parts, usage, stop } = findReply(await loadCassette(settings.file), request, settings)
    request.signal.throwIfAborted()
    for (const part of parts)
      if (part.type === "text" || part.type === "reasoning") request.onDelta({ type: part.type, text: part.text })
    return { role: "assistant", provider, model, parts, usage, stop }
  },
}
