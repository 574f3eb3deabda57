import { writeFile } from "node:fs/promises"
import path from "node:path"
import { publishedModels } from "./prices/published-models.ts"

// Writes the built-in table of prices and contexts from the kept package of the same prices.

const file = path.resolve(import.meta.dirname, "../config/models/published-models.ts")
const rows = publishedModels()
await writeFile(
  file,
  `/**
 * Models as their providers publish them, written by scripts/write-prices.ts from @pydantic/genai-prices: do not edit. Each line has the id, the provider,
 * the context, the rates in US dollars per million tokens (input, output, cache read, cache write, cache write for an hour), the rates of longer prompts
 * after the length above which they apply, and other ids of the model.
 */
export const publishedModels: readonly string[] = [
${rows.map((row) => `  ${JSON.stringify(row)},\n`).join("")}]
`,
)
process.stdout.write(`config/models/published-models.ts: ${rows.length} models\n`)
