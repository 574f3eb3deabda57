import path from "node:path"
import { globSync } from "tinyglobby"
import { escapeTests } from "./test-counts.ts"

const root = path.resolve(import.meta.dirname, "../..")

/** Returns the test files that attack sandboxes, relative to the root. */
export const listEscapeTests = (): readonly string[] =>
  globSync(["test/unit/tools/sandbox/**/*.test.ts"], { cwd: root })
    .filter((file) => escapeTests.test(file))
    .toSorted()
