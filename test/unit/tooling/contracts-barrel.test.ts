import { readFile, readdir } from "node:fs/promises"
import path from "node:path"
import { expect, test } from "vitest"

const contracts = path.resolve(import.meta.dirname, "../../../contracts")

/** Parts of other contracts, and arguments of tools that only models call. */
const internal = [
  "delegation/delegation-tools.ts",
  "delegation/profile-tools.ts",
  "delegation/sessions-input.ts",
  "delegation/task-input.ts",
  "delegation/tasks-input.ts",
  "text-schemas.ts",
]

test("every contract is exported from the library", async () => {
  const all = await readdir(contracts, { recursive: true })
  const files = all.filter((file) => file.endsWith(".ts") && file !== "index.ts")
  const barrel = await readFile(path.join(contracts, "index.ts"), "utf8")
  expect(files.filter((file) => !barrel.includes(`export * from "./${file}"`)).toSorted()).toEqual(internal)
})
