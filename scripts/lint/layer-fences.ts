import type { OxlintOverride } from "oxlint"

/** Paths are written as from the layer's own folder: `../name/**` is another layer. */
interface Layer {
  readonly name: string
  /** Besides the layer's own files, only these may be imported as values; mutually exclusive with `typesOnly`. */
  readonly values?: readonly string[]
  /** May be imported by `import type` only. */
  readonly typesOnly?: readonly string[]
  /** May not be imported at all. No negated pattern: the linter lets one that matches undo the other list as well. */
  readonly never: readonly string[]
}

const folder = (name: string) => `../${name}/**`
const outside = ["scripts", "test", "bench", "examples", "bin", "dist"].map(folder).concat("adjutant", "adjutant/**")
const middleNames = [
  "workflows",
  "activities",
  "models",
  "mcp-client",
  "tools",
  "store",
  "engine",
  "config",
  "server",
  "client",
]
const upperNames = ["worker", "http", "mcp", "cli"]
const upper = upperNames.map(folder)
const engineWorker = ["@temporalio/worker", "@temporalio/worker/**"]
const engineWorkflow = ["@temporalio/workflow", "@temporalio/workflow/**"]

/** The contract files without zod: code that ends up in the workflow bundle may import these as values, and no others. */
export const zodFreeContracts = ["adjutant-error", "error-code"].map((name) => `../contracts/${name}.ts`)

/** Classes of a seam, which a sibling layer needs as a value to recognise what it catches. */
const seamClasses = ["../models/model-error.ts"]

/** Those above the seam to Temporal's client. */
const aboveEngine = ["activities", "client"]

const middle = (name: string, mayRunWorkers = false): Layer => ({
  name,
  typesOnly: [
    ...middleNames.filter((other) => other !== name && !(other === "engine" && aboveEngine.includes(name))).map(folder),
    ...(mayRunWorkers ? [] : engineWorker),
    ...engineWorkflow,
    ...seamClasses.map((file) => `!${file}`),
  ],
  never: [...upper, ...outside],
})

const adapter = (name: string, hidden: readonly string[], beside: readonly string[]): Layer => ({
  name,
  typesOnly: [...hidden.map(folder), ...engineWorker, ...engineWorkflow],
  never: [...beside.map(folder), ...outside],
})

/** Who may import what: `contracts <- domain <- the middle <- {worker | http, mcp, cli}`. */
export const layers: readonly Layer[] = [
  {
    name: "contracts",
    values: ["zod"],
    never: [...["domain", ...middleNames, ...upperNames].map(folder), ...outside, "@*/**", "node:*"],
  },
  {
    name: "domain",
    // A parser of texts, and nothing else.
    values: [...zodFreeContracts, "mustache"],
    never: [...[...middleNames, ...upperNames].map(folder), ...outside, "@*/**", "node:*"],
  },
  {
    name: "workflows",
    values: [folder("domain"), ...zodFreeContracts, ...engineWorkflow, "@temporalio/common", "@temporalio/common/**"],
    never: [...upper, ...outside],
  },
  ...["activities", "models", "mcp-client", "tools", "store", "engine", "config", "client"].map((name) => middle(name)),
  middle("server", true),
  { name: "worker", typesOnly: engineWorkflow, never: [...["http", "mcp", "cli"].map(folder), ...outside] },
  adapter("http", ["workflows", "activities", "models", "mcp-client", "tools", "store", "engine"], ["mcp", "cli"]),
  adapter("mcp", ["workflows", "activities", "models", "mcp-client", "tools", "store", "engine"], ["http", "cli"]),
  adapter("cli", ["workflows", "activities", "models", "mcp-client", "tools"], []),
  { name: "examples", typesOnly: engineWorker, never: ["../**"] },
]

/** Files outside the upper layers that compose the middle ones: the library's own `connect`. */
const compositionRoots = ["client/index.ts", "client/connect.ts"]

const deepest = 4

/** Rewrites a pattern written as from the layer's folder to how a file `depth` folders below the root must write it. */
const seenFrom = (depth: number) => (pattern: string) =>
  pattern.replace(/^(!?)\.\.\//, (_, negation: string) => negation + "../".repeat(depth))

const allowOnly = (depth: number, values: readonly string[]) => [
  "**",
  "!./**",
  ...(depth > 1 ? ["!../**", `${"../".repeat(depth)}**`] : []),
  ...values.map((pattern) => `!${seenFrom(depth)(pattern)}`),
  "./**/../**",
]

const restrictImports = (depth: number, { name, values, typesOnly = [], never }: Layer) => ({
  patterns: [
    {
      group: values ? allowOnly(depth, values) : typesOnly.map(seenFrom(depth)),
      allowTypeImports: true,
      message: `${name}/ may import this by \`import type\` at most.`,
    },
    {
      group: never.map(seenFrom(depth)),
      message: `${name}/ may not import this; AGENTS.md shows which way imports go.`,
    },
    { group: ["./**/../**"], message: "Write the path without a detour." },
  ],
})

/** The overrides of the linter's configuration that keep the layers apart. */
export const layerFences: OxlintOverride[] = [
  ...layers.flatMap((layer) =>
    Array.from({ length: deepest }, (_, index): OxlintOverride => ({
      files: [`${layer.name}${"/*".repeat(index + 1)}.ts`],
      rules: { "no-restricted-imports": ["error", restrictImports(index + 1, layer)] },
    })),
  ),
  {
    files: compositionRoots,
    rules: {
      "no-restricted-imports": [
        "error",
        restrictImports(1, {
          name: "client",
          typesOnly: [...engineWorker, ...engineWorkflow],
          never: [...upper, ...outside],
        }),
      ],
    },
  },
]
