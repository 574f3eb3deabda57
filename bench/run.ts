// npm run bench [-- [--pairs n] names…]: measures, writes bench/results, and prints a table.
import { parseArgs } from "node:util"
import type { BenchContext } from "./benchmark.ts"
import { benchmarks } from "./benchmarks.ts"
import { machineFacts, machineLine } from "./figures/machine-facts.ts"
import { resultsTable, type TableEntry } from "./figures/results-table.ts"
import { startTunedServer, type TunedServer } from "./rig/tuned-server.ts"
import { resultsFolder, writeResults } from "./figures/write-results.ts"

const log = (line: string): void => void process.stderr.write(`${line}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { pairs: { type: "string" }, out: { type: "string", default: resultsFolder } },
})
const pairs = values.pairs === undefined ? undefined : Number(values.pairs)
if (pairs !== undefined && !(Number.isInteger(pairs) && pairs > 0))
  throw new Error("--pairs must be a whole number above 0")
const unknown = positionals.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name.toLowerCase()))
if (unknown.length > 0)
  throw new Error(
    `unknown benchmark: ${unknown.join(", ")}; benchmarks: ${benchmarks.map(({ name }) => name).join(" ")}`,
  )
const chosen = benchmarks.filter(
  ({ name }) => positionals.length === 0 || positionals.some((wanted) => wanted.toLowerCase() === name),
)

let server: Promise<TunedServer> | undefined
const context: BenchContext = {
  server: () => (server ??= startTunedServer(log)),
  pairs: (own) => pairs ?? own,
  log,
}

const entries: TableEntry[] = []
try {
  const facts = machineFacts((await context.server()).version)
  log(machineLine(facts))
  for (const benchmark of chosen) {
    log(`${benchmark.name}: ${benchmark.title}`)
    const measured = await benchmark.measure(context)
    await writeResults({ benchmark, measured, machine: facts }, values.out)
    for (const note of measured.notes ?? []) log(note)
    entries.push({ name: benchmark.name, title: benchmark.title, figures: measured.figures })
  }
  process.stdout.write(`${machineLine(facts)}\n\n${resultsTable(entries)}\n`)
} finally {
  await (await server)?.stop()
}
