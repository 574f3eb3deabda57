import { shellPaths } from "./possible-paths.ts"

const interpreter =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|esno|jiti|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua(?:jit)?|Rscript|osascript|pwsh|powershell|fish|[a-z]{0,3}sh)(?:\.exe)?$/i

const extensions = [".js", ".mjs", ".cjs", ".json", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".node", ".wasm"]
const otherExtensions = [".py", ".pyc", ".sh", ".bash", ".rb", ".pl", ".php", ".lua", ".R", ".ps1"]
const inFolder = ["index", "main", "mod", "lib/index", "dist/index", "src/index"].flatMap((name) =>
  extensions.map((extension) => `${name}${extension}`),
)

/**
 * Returns the paths that an interpreter may open for a path: itself, with an extension, or a file of the folder. Python finds a module by a name with
 * dots.
 */
export const interpretedPaths = (path: string): readonly string[] => {
  const plain = path.replace(/\/+$/, "")
  const module = /^[\w]+(?:\.[\w]+)+$/.test(plain) ? plain.replaceAll(".", "/") : undefined
  const found = [plain, ...(module === undefined ? [] : [module])].flatMap((each) => [
    each,
    ...[...extensions, ...otherExtensions].map((extension) => `${each}${extension}`),
    ...["package.json", "__main__.py", "__init__.py", ...inFolder].map((name) => `${each}/${name}`),
  ])
  // The packages that contain a module run before it.
  const packages = (module ?? "").split("/").slice(0, -1)
  return [...found, ...packages.map((_, index) => `${packages.slice(0, index + 1).join("/")}/__init__.py`)]
}

/** A program as a configuration names it. */
export interface NamedProgram {
  readonly command: string
  readonly args: readonly string[]
}

const baseName = (word: string): string => word.slice(word.lastIndexOf("/") + 1)

/** Returns the words after the first one that names an interpreter, as in `npx tsx scripts/check`. */
const afterInterpreter = ({ command, args }: NamedProgram): readonly string[] => {
  const words = [command, ...args]
  const index = words.findIndex((word) => interpreter.test(baseName(word)))
  return index < 0 ? [] : words.slice(index + 1)
}

/**
 * Returns the texts of a program's arguments that its interpreter may run as a script: those up to the first one that is no option. A word after an
 * option may be its value or the script.
 */
export const scriptsOf = (program: NamedProgram, homeDirectory: string): readonly string[] => {
  const scripts: string[] = []
  let mayBeValue = false
  for (const word of afterInterpreter(program)) {
    if (word.startsWith("-")) {
      scripts.push(...shellPaths(word, homeDirectory).filter((part) => part !== word && part.includes("/")))
      mayBeValue = !word.includes("=")
      continue
    }
    // The code of `sh -c` names scripts among other words.
    const paths = shellPaths(word, homeDirectory)
    scripts.push(...(/[\s"'$~;&|]/.test(word) ? paths.filter((part) => /[/.]/.test(part)) : [word]))
    if (!mayBeValue) break
    mayBeValue = false
  }
  return [...new Set(scripts)]
}
