import { expect, it } from "vitest"
import { cacheFolder } from "../../../../domain/workspace/cache-folder.ts"

const machine = (...folders: readonly string[]) => ({
  homedir: () => "/u/system",
  existsSync: (path: string) => folders.includes(path),
})
const homeless = {
  ...machine(),
  homedir: () => {
    throw new Error("ENOENT")
  },
}

it.each([
  [{ XDG_CACHE_HOME: "/cache", HOME: "/gone" }, "/cache/adjutant"],
  [{ HOME: "/u/ana" }, "/u/ana/.cache/adjutant"],
  [{ HOME: "/u/ana", XDG_CACHE_HOME: "" }, "/u/ana/.cache/adjutant"],
  [{}, "/u/system/.cache/adjutant"],
  // Nothing may create a home directory.
  [{ HOME: "/gone" }, undefined],
])("the cache of a user with %j is %s", (env, folder) => {
  expect(cacheFolder(env, machine("/u/ana", "/u/system"))).toBe(folder)
})

it("is missing for a user without a home directory, unless it is named", () => {
  expect(cacheFolder({}, homeless)).toBeUndefined()
  expect(cacheFolder({ XDG_CACHE_HOME: "/cache" }, homeless)).toBe("/cache/adjutant")
})
