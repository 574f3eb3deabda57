import { AdjutantError } from "../../contracts/adjutant-error.ts"
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
export const loadCassette = async (file: string): Promise<Cassette> => {
  const found = await readCassette(file)
  if (found.kind === "refused") throw refused(file, found.problem)
  return found.content
}
