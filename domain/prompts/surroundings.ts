/** What confines the commands of an agent. */
export interface CommandReach {
  readonly isConfined: boolean
  /** Hosts that confined commands can reach. */
  readonly hosts: readonly string[]
  /** They write only to the scratch folder of a task. */
  readonly hasScratchOnly: boolean
  /** Where toolchains below the home directory are that commands see. Absent: nothing else is visible of it. */
  readonly toolchains?: readonly string[]
  /** What the configuration lets them read or write besides. */
  readonly read?: readonly string[]
  readonly write?: readonly string[]
}

/** What commands find where they run. */
export interface CommandTools {
  /** Name, release and architecture of the kernel, as `uname -srm` prints them. */
  readonly platform: string
  /** Version of bash. */
  readonly shell: string
  /** Those of `usualPrograms` that are there. */
  readonly programs: readonly string[]
}

/** The facts about the place where an agent works. */
export interface Surroundings {
  /** As in `2026-11-29`. */
  readonly date: string
  readonly platform: string
  /** Absolute. */
  readonly directory: string
  /** Null: a commit is checked out. Absent outside of a git repository. */
  readonly branch?: string | null
  /** Paths that are empty in the worktree in which the agent works. */
  readonly missing?: readonly string[]
  /** Absent if the agent runs no commands. */
  readonly commands?: CommandReach & { readonly tools?: CommandTools }
}

/** The programs that agents look for. */
export const usualPrograms = [
  ...["git", "gh", "rg", "fd", "jq", "curl", "wget", "make", "cmake", "gcc", "clang", "docker", "kubectl"],
  ...["node", "npm", "pnpm", "yarn", "bun", "deno", "python3", "pip", "uv", "go", "cargo", "java", "mvn", "gradle"],
  ...["ruby", "php", "dotnet", "sqlite3", "psql"],
] as const

const maxBranchCharacters = 200

const branchLine = ({ branch }: Surroundings): readonly string[] => {
  if (branch === undefined) return []
  return [
    branch === null
      ? "Git branch: none, a commit is checked out"
      : `Git branch: ${JSON.stringify(branch.slice(0, maxBranchCharacters))}`,
  ]
}

const maxMissing = 20

const missingLine = ({ missing = [] }: Surroundings): readonly string[] => {
  if (missing.length === 0) return []
  const shown = missing.slice(0, maxMissing).map((path) => JSON.stringify(path.slice(0, maxBranchCharacters)))
  const more = missing.length > maxMissing ? ` and ${missing.length - maxMissing} more` : ""
  return [`Empty here, although the project has files there: ${shown.join(", ")}${more}`]
}

const maxShownPaths = 12

const shownPaths = (paths: readonly string[]): string => {
  const more = paths.length > maxShownPaths ? ` and ${paths.length - maxShownPaths} more` : ""
  return `${paths.slice(0, maxShownPaths).join(", ")}${more}`
}

const seenLine = ({ isConfined, toolchains = [], read = [] }: CommandReach): readonly string[] =>
  !isConfined || toolchains.length + read.length === 0
    ? []
    : [
        `Besides the system, commands can read: ${shownPaths([...toolchains, ...read])}; the rest of the home directory is hidden`,
      ]

const reachLine = ({ isConfined, hosts, hasScratchOnly, write = [] }: CommandReach): string => {
  if (!isConfined) return "Commands run without a sandbox, with the rights of the user and the network of this machine"
  const network = hosts.length === 0 || hasScratchOnly ? "no network" : `of the network only ${hosts.join(", ")}`
  const files = hasScratchOnly
    ? "the scratch folder of the task"
    : ["the working directory and a /tmp of their own", ...write].join(", ")
  return `Commands run in a sandbox: they reach ${network}, and can write only to ${files}`
}

const commandLines = ({ commands }: Surroundings): readonly string[] => {
  if (commands === undefined) return []
  const { tools } = commands
  if (tools === undefined) return [reachLine(commands), ...seenLine(commands)]
  const missing = usualPrograms.filter((name) => !tools.programs.includes(name))
  return [
    `Shell of commands: bash ${tools.shell}`,
    reachLine(commands),
    ...seenLine(commands),
    `Programs of commands: ${tools.programs.join(", ") || "none of the usual ones"}`,
    ...(missing.length === 0 ? [] : [`Programs that commands do not have: ${missing.join(", ")}`]),
  ]
}

/** Returns the facts as lines, one fact each. */
export const surroundingsLines = (facts: Surroundings): readonly string[] => [
  `Working directory: ${JSON.stringify(facts.directory)}`,
  ...branchLine(facts),
  ...missingLine(facts),
  `Date: ${facts.date}`,
  `Platform: ${facts.commands?.tools?.platform ?? facts.platform}`,
  ...commandLines(facts),
]

const heading = "# Environment\n\n"
const paths =
  "Paths are absolute or relative to the working directory. File tools cannot access anything outside it. These facts are those of the start of the session."

/** Returns the last block of a system prompt, which is the same in all prompts of a session, so that providers can cache it. */
export const surroundingsBlock = (lines: readonly string[]): string => `${heading}${lines.join("\n")}\n${paths}`

/** Returns a system prompt without its last block. */
export const withoutSurroundings = (systemPrompt: string): string => {
  const at = systemPrompt.lastIndexOf(`\n\n${heading}Working directory: `)
  return at === -1 || !systemPrompt.endsWith(paths) ? systemPrompt : systemPrompt.slice(0, at)
}

const change = "(Changed since the start of the session: "

/** Returns a line for the model with the facts that differ from those of the last block; undefined if none does. */
export const changedSurroundings = (before: readonly string[], now: readonly string[]): string | undefined => {
  const changed = now.filter((line) => !before.includes(line))
  return changed.length === 0 ? undefined : `${change}${changed.join("; ")})`
}

/** Returns the text of a message without the line of changed facts before it. */
export const withoutChanges = (text: string): string =>
  text.startsWith(change) && text.includes("\n\n") ? text.slice(text.indexOf("\n\n") + 2) : text

const directoryLine = /^Working directory: (".*")$/gm

/** Returns the working directory that a system prompt names; undefined if it names none. */
export const workingDirectoryOf = (systemPrompt: string): string | undefined => {
  // Notes of the project come before it, and can contain such a line.
  const quoted = [...systemPrompt.matchAll(directoryLine)].at(-1)?.[1]
  try {
    const value: unknown = quoted === undefined ? undefined : JSON.parse(quoted)
    return typeof value === "string" ? value : undefined
  } catch {
    return undefined
  }
}
