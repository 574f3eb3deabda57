import { defineConfig } from "oxlint"
import { layerFences, layers } from "./scripts/lint/layer-fences.ts"

const impureGlobals = ["process", "fetch", "performance", "crypto", "console", "navigator"].map((name) => ({
  name,
  message: "Pure code gets this from its caller; pass it in.",
}))

const clocks = ["setTimeout", "setInterval", "setImmediate", "queueMicrotask"].map((name) => ({
  name,
  message: "The domain has no clock; pass the time in.",
}))

/** Layers that may send no request at all, and the one that does. */
const withoutFetch = ["contracts", "domain", "workflows", "network", "examples"]

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "promise", "vitest"],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["dist", "node_modules", "coverage", "test/histories", "bench/results", "examples/**/node_modules"],
  categories: { correctness: "error", suspicious: "error" },
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/consistent-type-imports": "error",
    "typescript/consistent-type-exports": "error",
    "typescript/no-import-type-side-effects": "error",
    "typescript/no-unsafe-type-assertion": "error",
    "typescript/only-throw-error": "error",
    "typescript/prefer-promise-reject-errors": "error",
    "typescript/return-await": ["error", "error-handling-correctness-only"],
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-self-import": "error",
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          {
            group: ["@temporalio/worker", "@temporalio/worker/**"],
            message: "Only worker/ and server/ can run workers.",
          },
        ],
      },
    ],
    "max-lines": ["error", { max: 300 }],
    "max-lines-per-function": ["error", { max: 60, skipComments: true }],
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    // A test can assert through a helper or by a wait that ends, and can be created by a conditional `test.skipIf`.
    "vitest/expect-expect": "off",
    "vitest/no-standalone-expect": "off",
    "vitest/valid-title": "off",
    "vitest/require-to-throw-message": "off",
    "vitest/no-disabled-tests": "off",
    // Objects in this project are records of closures. None of them uses `this`.
    "typescript/unbound-method": "off",
    "unicorn/consistent-function-scoping": "off",
    // An exhaustive switch needs no return after it, which the compiler checks.
    "typescript/consistent-return": "off",
    "promise/always-return": "off",
    // This rule is for Express; fastify awaits its handlers.
    "oxc/no-async-endpoint-handlers": "off",
    // Numbers from other programs' protocols and from columns are converted where they are read.
    "typescript/no-unsafe-enum-comparison": "off",
    "typescript/no-unnecessary-type-conversion": "off",
    "import/no-named-as-default-member": "off",
    // Spreads group the words of a command line; an interface can require a type parameter.
    "unicorn/no-useless-spread": "off",
    "typescript/no-unnecessary-type-parameters": "off",
    "no-underscore-dangle": "off",
    eqeqeq: ["error", "always", { null: "ignore" }],
    "no-var": "error",
    "prefer-const": "error",
  },
  overrides: [
    ...layerFences,
    {
      files: ["domain/**/*.ts", "contracts/**/*.ts"],
      rules: {
        "no-restricted-globals": ["error", ...impureGlobals, ...clocks],
        "no-restricted-properties": [
          "error",
          { object: "Date", property: "now", message: "The domain has no clock; pass the time in." },
          { object: "Math", property: "random", message: "The domain has no randomness; pass ids in." },
        ],
      },
    },
    {
      files: layers.filter(({ name }) => !withoutFetch.includes(name)).map(({ name }) => `${name}/**/*.ts`),
      rules: {
        "no-restricted-globals": [
          "error",
          { name: "fetch", message: "Use outgoing() of network/, which knows the proxies." },
        ],
      },
    },
    { files: ["workflows/**/*.ts"], rules: { "no-restricted-globals": ["error", ...impureGlobals] } },
    {
      files: ["contracts/adjutant-error.ts", "contracts/error-code.ts", "contracts/error-reason.ts"],
      rules: {
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              {
                group: ["**", "!./error-code.ts", "!./error-reason.ts", "!./adjutant-error.ts"],
                message: "Workflows bundle this file, so that it cannot import zod.",
              },
            ],
          },
        ],
      },
    },
    {
      files: ["test/**/*.ts"],
      rules: {
        "max-lines": "off",
        "typescript/no-unsafe-type-assertion": "off",
        "typescript/no-non-null-assertion": "off",
      },
    },
    {
      files: ["test/**/*.ts", "bench/**/*.ts", "scripts/**/*.ts"],
      rules: { "no-restricted-imports": "off", "max-lines-per-function": "off" },
    },
  ],
})
