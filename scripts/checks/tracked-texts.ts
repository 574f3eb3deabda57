import { readFileSync } from "node:fs"
import path from "node:path"
import { globSync } from "tinyglobby"

const root = path.resolve(import.meta.dirname, "../..")

/** Returns the lines of .gitignore as patterns of tinyglobby; the file uses no negation. */
const ignored = (): readonly string[] =>
  readFileSync(path.join(root, ".gitignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .flatMap((line) => {
      const name = line.replace(/\/$/, "").replace(/^\//, "")
      const anywhere = line.startsWith("/") || name.includes("/") ? name : `**/${name}`
      return [anywhere, `${anywhere}/**`]
    })

export interface TrackedText {
  /** Relative to the root of the project. */
  readonly file: string
  readonly text: string
}

/** Reads the files that a commit would contain, as text. Does not use git, so that it also works in a copy of the checkout. */
export const trackedTexts = (): readonly TrackedText[] =>
  globSync(["**/*"], { cwd: root, dot: true, ignore: [".git", ".git/**", ...ignored()] })
    .toSorted()
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }))
