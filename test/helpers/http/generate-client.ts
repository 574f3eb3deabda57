// Writes a client for an OpenAPI document: node generate-client.ts <document> <folder>. A process of its own, since the generator needs the
// compiler's API, which TypeScript 7 does not have: it gets the one in @ts-morph/common.
import { registerHooks } from "node:module"

const compiler = `data:text/javascript,${encodeURIComponent(`
import { createRequire } from "node:module"
export default createRequire(${JSON.stringify(import.meta.url)})("@ts-morph/common").ts
`)}`
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "typescript" ? { url: compiler, shortCircuit: true } : next(specifier, context),
})

const [input = "", output = ""] = process.argv.slice(2)
const { createClient } = await import("@hey-api/openapi-ts")
await createClient({
  input,
  output: { path: output, module: { extension: ".js" } },
  logs: { level: "silent" },
  plugins: ["@hey-api/client-fetch", "@hey-api/sdk", "@hey-api/typescript"],
})
