import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { globSync } from "tinyglobby"

const root = path.resolve(import.meta.dirname, "../..")
const needs = path.join(root, "test/helpers/needs.ts")

/** Tests whose expectations depend on the installed programs, and that skip nothing. */
const always = ["test/e2e/cli/run-and-resume.test.ts"]

const importsOf = (file: string): readonly string[] =>
  [...readFileSync(file, "utf8").matchAll(/\bfrom "(\.[^"]+)"/g)]
    .map(([, specifier = ""]) => path.resolve(path.dirname(file), specifier))
    .filter((found) => found.startsWith(path.join(root, "test")) && existsSync(found))

const reaches = (file: string, seen: Set<string>): boolean => {
  if (file === needs) return true
  if (seen.has(file)) return false
  seen.add(file)
  return importsOf(file).some((imported) => reaches(imported, seen))
}

/** Returns the test files that skip tests, or expect other results, if a program is missing. Paths are relative to the root. */
export const programDependentTests = (): readonly string[] => {
  const files = globSync(["test/**/*.test.ts"], { cwd: root, ignore: ["**/*.deep.test.ts"] })
  const dependent = files.filter((file) => reaches(path.join(root, file), new Set()))
  return [...new Set([...dependent, ...always])].toSorted()
}

/** Returns those of them that depend on the user who runs them, too: a database behaves alike for all users. */
export const userDependentTests = (): readonly string[] =>
  programDependentTests().filter((file) => !file.startsWith("test/unit/store/"))
