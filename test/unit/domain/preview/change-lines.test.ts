import { expect, it } from "vitest"
import { changeLines } from "../../../../domain/preview/change-lines.ts"

const header = "--- a/a.sql\n+++ b/a.sql\n"

it.each([
  ["a new file", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+alpha\n", ["+alpha"]],
  [
    "two places",
    `${header}@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -9 +9 @@\n-nine\n+9\n`,
    [" one", "-two", "+2", "…", "-nine", "+9"],
  ],
  [
    "lines that look like headers",
    `${header}@@ -1,2 +1,2 @@\n--- drop it\n+++ keep it\n @@ -1 +1 @@\n`,
    ["--- drop it", "+++ keep it", " @@ -1 +1 @@"],
  ],
  [
    "a file without a last line break",
    `${header}@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n`,
    ["-a", "\\ No newline at end of file", "+b"],
  ],
  [
    "a diff that was cut",
    `${header}@@ -1,9 +1,9 @@\n one\n… (cut: 8 more lines, 90 characters in all)`,
    [" one", "… (cut: 8 more lines, 90 characters in all)"],
  ],
  [
    "several files",
    `diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/y\nrename from y\nrename to z\n`,
    ["diff --git a/x b/x", "…", "-a", "+b", "diff --git a/y b/y", "rename from y", "rename to z"],
  ],
])("shows the changed lines of %s, and no header", (_, diff, lines) => {
  expect(changeLines(diff)).toEqual(lines)
})
