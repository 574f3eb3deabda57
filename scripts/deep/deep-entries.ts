import { readFileSync } from "node:fs"
import path from "node:path"
import { globSync } from "tinyglobby"
import { pythonPrograms } from "../checks/python-program.ts"

const root = path.resolve(import.meta.dirname, "../..")

/** Checks that are no test files: each is a script that ends with another exit code than 0 if it fails. */
const scripts = ["scripts/check-image-steps.ts", "scripts/compare-openapi.ts"]

/** Files that try more cases in depth. They import `test/helpers/effort.ts`. */
const triesMore = (file: string): boolean =>
  /from "[./]+helpers\/effort\.ts"/.test(readFileSync(path.join(root, file), "utf8"))

/** Returns what `npm run test:deep` runs: test files and scripts, by their paths relative to the root, sorted. */
export const deepEntries = (): readonly string[] => {
  const own = globSync(["test/**/*.deep.test.ts", "test/limits/**/*.test.ts"], { cwd: root })
  const others = globSync(["test/**/*.test.ts"], { cwd: root }).filter((file) => triesMore(file))
  return [...new Set([...own, ...others, ...scripts])].toSorted()
}

/** A program that single entries need, and the script that finds, builds or installs it. */
interface Preparation {
  readonly name: string
  readonly script: string
  readonly args?: readonly string[]
  readonly isFor: (entry: string) => boolean
}

const preparations: readonly Preparation[] = [
  {
    name: "build the Temporal server (some minutes the first time)",
    script: "scripts/ensure-temporal-server.ts",
    isFor: (entry) => entry.startsWith("test/e2e/cluster/"),
  },
  ...pythonPrograms.map((name) => ({
    name: `install ${name}`,
    script: "scripts/ensure-python-program.ts",
    args: [name],
    // A test that uses such a program is named after it.
    isFor: (entry: string) => path.basename(entry).startsWith(name),
  })),
]

/** Returns what has to be there before these entries run. */
export const preparationsFor = (entries: readonly string[]): readonly Preparation[] =>
  preparations.filter(({ isFor }) => entries.some((entry) => isFor(entry)))
