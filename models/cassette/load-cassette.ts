import { readFile, stat } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { type Cassette, cassetteSchema, maxCassetteBytes } from "../../contracts/config/cassette.ts"
import { parseJson } from "../../domain/text/parse-json.ts"

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

const loaded = new Map<string, { readonly version: string; readonly cassette: Cassette }>()

/** Returns a cassette. A file is read once per version. */
export const loadCassette = async (file: string): Promise<Cassette> => {
  const { mtimeMs, size, ino } = await stat(file).catch(() => {
    throw refused(file, "it cannot be read")
  })
  if (size > maxCassetteBytes) throw refused(file, `it has more than ${maxCassetteBytes} bytes`)
  const version = `${ino} ${mtimeMs} ${size}`
  const known = loaded.get(file)
  if (known?.version === version) return known.cassette
  const cassette = parse(await readFile(file, "utf8"), file)
  loaded.set(file, { version, cassette })
  return cassette
}
