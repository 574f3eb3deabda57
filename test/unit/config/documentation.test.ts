import { readFile } from "node:fs/promises"
import { beforeAll, describe, expect, it } from "vitest"
import { configSchema } from "../../../contracts/config/config.ts"
import { schemaKeys } from "../../../config/schema-keys.ts"

let page = ""
beforeAll(async () => {
  page = await readFile(new URL("../../../docs/configuration.md", import.meta.url), "utf8")
})

const topLevel = Object.keys(configSchema.shape)
/** A path whose elements below records and lists may have any name. */
const below = topLevel.flatMap((key) => [
  [key],
  [key, "x"],
  [key, 0, "x"],
  [key, "threadBindings"],
  [key, "x", "threadBindings"],
])
const inner = [...new Set(below.flatMap((path) => schemaKeys(configSchema, path)))].toSorted()

describe("docs/configuration.md", () => {
  it.each(topLevel)("has a section for %s", (key) => {
    expect(page).toContain(`\n## \`${key}\`\n`)
  })

  it.each(inner)("mentions %s", (key) => {
    expect(page).toMatch(new RegExp(`[\`{ ,:]${key.replaceAll(/[^\w]/g, "\\$&")}[\`,: }\\]]`))
  })

  it("describes no key of timing that is gone", () => {
    const described = [...page.slice(page.indexOf("## `timing`")).matchAll(/^\| `(\w+)`/gm)].map((row) => row[1])
    expect(new Set(described)).toEqual(new Set(Object.keys(configSchema.parse({}).timing)))
  })
})
