import { readFile, readdir } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"

const contracts = path.resolve(import.meta.dirname, "../../../contracts")

test("every contract is exported to the library's users", async () => {
  const all = [
    ...(await readdir(contracts)),
    ...(await readdir(path.join(contracts, "config"))).map((file) => `config/${file}`),
  ]
  const files = all.filter((file) => file.endsWith(".ts") && file !== "index.ts")
  const barrel = await readFile(path.join(contracts, "index.ts"), "utf8")
  expect(files.filter((file) => !barrel.includes(`export * from "./${file}"`))).toEqual([])
})
