import { parseDocument } from "yaml"
import { expect, it } from "vitest"
import { parseYaml, yamlValue } from "../../../domain/text/foreign/parse-yaml.ts"

// The parser compared each key of a map with all keys before it: a script of 4 MiB in a cloned repository kept every
// command busy for hours, before it asked whether the project is trusted.

const count = 60_000

it.each([
  ["lines", "\n", "", ""],
  ["a flow mapping", ", ", "{", "}"],
])("reads many keys in %s in one pass", (_, separator, start, end) => {
  const source = start + Array.from({ length: count }, (__, at) => `k${at}: 1`).join(separator) + end
  const document = parseYaml(source)
  expect(document.errors).toEqual([])
  expect(Object.keys(Object(yamlValue(document)))).toHaveLength(count)
})

it.each([
  "a: 1\nb: 2\na: 3\n",
  "{a: 1, 'a': 2}",
  "x:\n  - {1: a, 1: b}\n  - ? c\n    ? c\n",
  "? [a]\n? [a]\n&x 1: a\n&y 1: b\n",
  "a: 1\na: [\n",
  "1: a\n'1': b\nnull: c\n'null': d\n",
])("names keys that occur twice where the parser did: %j", (source) => {
  const facts = ({ errors }: Pick<ReturnType<typeof parseDocument>, "errors">) =>
    errors.map(({ code, message, pos }) => ({ code, message, pos }))
  expect(facts(parseYaml(source))).toEqual(facts(parseDocument(source, { prettyErrors: false })))
})

it("refuses more than a thousand aliases, each of which is searched in the whole document", () => {
  const source = Array.from({ length: 1_001 }, (_, at) => `- &a${at} x\n- *a${at}`).join("\n")
  expect(parseYaml(source).errors.map(({ message }) => message)).toEqual(["the YAML contains more than 1000 aliases"])
  expect(parseYaml(source.slice(0, source.lastIndexOf("\n"))).errors).toEqual([])
})
