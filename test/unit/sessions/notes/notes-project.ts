import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"

/** Creates a working directory inside a folder of its own; both are removed when the test ends. */
export const notesProject = () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-notes-")))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const cwd = join(root, "project")
  mkdirSync(cwd)
  const folderOf = (path: string): string => {
    mkdirSync(dirname(path), { recursive: true })
    return path
  }
  return {
    root,
    cwd,
    dataDir: join(cwd, "state"),
    put: (path: string, text: string) => writeFileSync(folderOf(join(cwd, path)), text),
    link: (path: string, target: string) => symlinkSync(target, folderOf(join(cwd, path))),
  }
}

/** Returns the text of a `SKILL.md`. */
export const skillText = (frontmatter: Readonly<Record<string, string>>, body = "Do it.\n"): string =>
  `---\n${Object.entries(frontmatter)
    .map(([key, value]) => `${key}: ${value}`)
    .join("\n")}\n---\n${body}`
