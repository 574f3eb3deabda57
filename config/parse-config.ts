import { isScalar, isMap, isPair, LineCounter, visit, type Document } from "yaml"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { type Config, configSchema } from "../contracts/config/config.ts"
import { maxJsonDepth } from "../domain/text/json/parse-json.ts"
import { parseYaml, yamlValue } from "../domain/text/foreign/parse-yaml.ts"
import { checkConfig } from "./check-config.ts"
import { type ConfigProblem, configProblems, configPathText } from "./config-problem.ts"

const shownProblems = 10

/** Returns the offset of the deepest node on a path that the document has; for an entry of a mapping, that of its key. */
const offsetOf = (document: Document, path: readonly PropertyKey[]): number | undefined => {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const key = path[length - 1]
    if (isMap(parent)) {
      const pair = parent.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === key)
      if (isScalar(pair?.key)) return pair.key.range?.[0]
    }
    const node: unknown = document.getIn(path.slice(0, length), true)
    if (typeof node === "object" && node !== null && "range" in node && Array.isArray(node.range)) {
      const start: unknown = node.range[0]
      if (typeof start === "number") return start
    }
  }
  return undefined
}

/** Parses the text of a configuration file. Messages start with `fileName` and the line. */
export const parseConfig = (source: string, fileName: string): Config => {
  const lines = new LineCounter()
  const document = parseYaml(source, { lines, schema: "core", merge: false })
  const [broken] = document.errors
  if (broken !== undefined)
    throw new AdjutantError(
      "invalid_config",
      `${fileName}:${lines.linePos(broken.pos[0]).line}: ${broken.message.split("\n")[0]}`,
    )
  visit(document, {
    Pair: (_, pair) => {
      if (isScalar(pair.key) && pair.key.value === "__proto__")
        throw new AdjutantError(
          "invalid_config",
          `${fileName}:${lines.linePos(pair.key.range?.[0] ?? 0).line}: __proto__: unknown key`,
        )
    },
  })
  const fail = (problems: readonly ConfigProblem[]): never => {
    const texts = problems.slice(0, shownProblems).map((problem) => {
      const offset = offsetOf(document, problem.path)
      const line = offset === undefined ? 1 : lines.linePos(offset).line
      const where = configPathText(problem.path)
      return `${fileName}:${line}: ${where === "" ? "" : `${where}: `}${problem.message}`
    })
    const more = problems.length > shownProblems ? [`and ${problems.length - shownProblems} more`] : []
    throw new AdjutantError("invalid_config", [...texts, ...more].join("\n"))
  }
  const parsed = configSchema.safeParse(plainValue(document, fileName) ?? {}, { reportInput: true })
  if (!parsed.success) return fail(configProblems(parsed.error, configSchema))
  const problems = checkConfig(parsed.data)
  return problems.length > 0 ? fail(problems) : parsed.data
}

const plainValue = (document: Document, fileName: string): unknown => {
  try {
    return yamlValue(document)
  } catch (error) {
    throw new AdjutantError(
      "invalid_config",
      `${fileName}: the YAML aliases cannot be resolved, or nest deeper than ${maxJsonDepth} levels`,
      { cause: error },
    )
  }
}
