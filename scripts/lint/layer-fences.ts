import type { OxlintOverride } from "oxlint"

/** The imports of a layer. Paths are relative to the layer's folder: `../name/**` is another layer. */
interface Layer {
  readonly name: string
  /** In addition to the layer's own files, only these may be imported as values; mutually exclusive with `typesOnly`. */
  readonly values?: readonly string[]
  /** May be imported by `import type` only. */
  readonly typesOnly?: readonly string[]
  /** May not be imported at all. Contains no negated pattern, since in the linter such a pattern also undoes the other list. */
  readonly never: readonly string[]
}

const folder = (name: string) => `../${name}/**`
const outside = ["scripts", "test", "bench", "examples", "bin", "dist"].map(folder).concat("adjutant", "adjutant/**")
/** Layers with one concern each, none of which imports another. */
const seamNames = ["models", "mcp-client", "tools", "store", "engine", "config"]
const middleNames = [...seamNames, "sessions", "activities", "workflows", "client", "server"]
/** The way out for HTTP, below every layer that sends requests. */
const networkName = "network"
const upperNames = ["worker", "http", "mcp", "service", "cli"]
const upper = upperNames.map(folder)
const engineWorker = ["@temporalio/worker", "@temporalio/worker/**"]
const engineWorkflow = ["@temporalio/workflow", "@temporalio/workflow/**"]

/** The contract files without zod: code that ends up in the workflow bundle may import these as values, and no others. */
export const zodFreeContracts = [
  "adjutant-error",
  "error-code",
  "error-reason",
  "run/run-choices",
  "run/run-limits",
].map((name) => `../contracts/${name}.ts`)

/** Classes of a seam, which a layer above needs as a value to recognise what it catches. */
const seamClasses = ["../models/model-error.ts"]

interface Middle {
  /** Layers below that may be imported as values, in addition to contracts and domain. */
  readonly values?: readonly string[]
  /** Layers below that may be imported by `import type`. */
  readonly types?: readonly string[]
  readonly mayRunWorkers?: boolean
}

const middle = (name: string, { values = [], types = [], mayRunWorkers = false }: Middle = {}): Layer => ({
  name,
  typesOnly: [
    ...types.map(folder),
    ...(mayRunWorkers ? [] : engineWorker),
    ...engineWorkflow,
    ...(types.includes("models") ? seamClasses.map((file) => `!${file}`) : []),
  ],
  never: [
    ...middleNames.filter((other) => ![name, ...values, ...types].includes(other)).map(folder),
    ...upper,
    ...outside,
  ],
})

const adapter = (name: string, hidden: readonly string[], siblings: readonly string[]): Layer => ({
  name,
  typesOnly: [
    ...hidden.map(folder),
    ...(hidden.includes("sessions") ? shared : []),
    ...engineWorker,
    ...engineWorkflow,
  ],
  never: [...siblings.map(folder), ...outside],
})

/** Layers that adapters use only through the client. */
const behindClient = ["workflows", "activities", "models", "mcp-client", "tools", "store", "engine", "sessions"]

/** The public shape of a session, and the handlers of the delegation tools: the same for every adapter. */
const shared = ["!../sessions/view/**", "!../sessions/delegation-tools/**"]

/** The layers and their imports: `contracts <- domain <- the seams <- sessions <- {activities, client} <- {worker | http, mcp} <- service <- cli`. */
export const layers: readonly Layer[] = [
  {
    name: "contracts",
    values: ["zod"],
    never: [...["domain", networkName, ...middleNames, ...upperNames].map(folder), ...outside, "@*/**", "node:*"],
  },
  {
    name: "domain",
    // What reads texts, and nothing else.
    values: [...zodFreeContracts, "tokenx", "yaml"],
    never: [...[networkName, ...middleNames, ...upperNames].map(folder), ...outside, "@*/**", "node:*"],
  },
  {
    name: "workflows",
    values: [folder("domain"), ...zodFreeContracts, ...engineWorkflow, "@temporalio/common", "@temporalio/common/**"],
    never: [...[networkName, ...seamNames, "sessions", "client", "server"].map(folder), ...upper, ...outside],
  },
  { name: networkName, never: [...[...middleNames, ...upperNames].map(folder), ...outside] },
  ...["models", "tools", "store", "engine", "config"].map((name) => middle(name)),
  // A tool of an MCP server is a tool.
  middle("mcp-client", { types: ["tools"] }),
  middle("sessions", { values: ["engine"], types: ["store", "config", "models", "tools", "mcp-client"] }),
  middle("activities", {
    values: ["sessions", "engine"],
    types: ["store", "config", "models", "tools", "mcp-client"],
  }),
  middle("client", { values: ["sessions", "engine"], types: ["store", "config", "server"] }),
  middle("server", { mayRunWorkers: true }),
  { name: "worker", typesOnly: engineWorkflow, never: [...["http", "mcp", "service", "cli"].map(folder), ...outside] },
  adapter("http", behindClient, ["mcp", "service", "cli"]),
  adapter("mcp", behindClient, ["http", "service", "cli"]),
  adapter("service", ["workflows", "activities", "models", "mcp-client", "tools"], ["cli"]),
  adapter("cli", ["workflows", "activities", "models", "mcp-client", "tools"], []),
  { name: "examples", typesOnly: engineWorker, never: ["../**"] },
]

/** Files outside the upper layers that compose the middle ones, and start the service: the library's own `connect`. */
const compositionRoots = ["client/index.ts", "client/connect.ts"]

const deepest = 4

/** Converts a pattern relative to the layer's folder to one for a file `depth` folders below the root. */
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
      message: `${name}/ may import this only by \`import type\`.`,
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
    // The page runs in browsers: of the sources, it may contain the pure ones only.
    files: ["web/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: ["**/contracts/**", "zod"],
              allowTypeImports: true,
              message: "web/ may import this only by `import type`.",
            },
            {
              group: [
                ...[...middleNames, ...upperNames].flatMap((name) => [`../${name}/**`, `../../${name}/**`]),
                "node:*",
              ],
              message: "web/ may not import this; AGENTS.md shows which way imports go.",
            },
          ],
        },
      ],
    },
  },
  {
    files: compositionRoots,
    rules: {
      "no-restricted-imports": [
        "error",
        restrictImports(1, {
          name: "client",
          typesOnly: [...engineWorker, ...engineWorkflow],
          never: [
            ...["activities", "workflows", ...upperNames.filter((name) => name !== "service")].map(folder),
            ...outside,
          ],
        }),
      ],
    },
  },
]
