// `npm run test:deep` runs the shard of deep tests that the tree of HEAD chooses, `-- --shard N` one of them, `-- --all` all of them, and `-- --list`
// prints them. With `--record`, the measured times are kept in test/deep-times.json, by which the shards are cut.
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import { runCommand } from "./checks/run-command.ts"
import { type Finished, hasPassed, printSummary } from "./checks/summary.ts"
import { runTests, say } from "./checks/test-run.ts"
import { cutShards, shardOfTree } from "./deep/cut-shards.ts"
import { deepEntries, preparationsFor } from "./deep/deep-entries.ts"

const root = path.resolve(import.meta.dirname, "..")
const timesFile = path.join(root, "test/deep-times.json")

const timesSchema = z.record(z.string(), z.number())
const reportSchema = z.object({ files: z.array(z.object({ file: z.string(), ms: z.number() })) })

const readTimes = (): Record<string, number> => timesSchema.parse(JSON.parse(readFileSync(timesFile, "utf8")))

const measured: Record<string, number> = {}

const timed = async <T>(run: () => Promise<T>): Promise<readonly [T, number]> => {
  const startMs = performance.now()
  const result = await run()
  return [result, (performance.now() - startMs) / 1000]
}

const runScripts = async (entries: readonly string[]): Promise<readonly Finished[]> => {
  const finished: Finished[] = []
  for (const script of entries) {
    say(`\n▸ ${script}`)
    const [code, seconds] = await timed(() => runCommand(["node", script]))
    // Scripts run alone, so that each uses both places of a shard.
    measured[script] = Math.ceil(2 * seconds)
    finished.push({ name: script, isOk: code === 0 })
  }
  return finished
}

const runFiles = async (name: string, files: readonly string[]): Promise<readonly Finished[]> => {
  if (files.length === 0) return []
  const folder = mkdtempSync(path.join(tmpdir(), "adjutant-deep-"))
  const report = path.join(folder, "times.json")
  process.env["ADJUTANT_TEST_TIMES"] = report
  try {
    const run = await runTests([...files])
    for (const { file, ms } of reportSchema.parse(JSON.parse(readFileSync(report, "utf8"))).files)
      measured[file] = Math.max(measured[file] ?? 0, Math.ceil(ms / 1000))
    return [{ name, run, isOk: hasPassed(run) }]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const runShard = async (name: string, entries: readonly string[]): Promise<readonly Finished[]> => {
  const tests = entries.filter((entry) => entry.endsWith(".test.ts"))
  const scripts = entries.filter((entry) => !entry.endsWith(".test.ts"))
  for (const { name: step, script, args = [] } of preparationsFor(entries)) {
    say(`\n▸ ${step}`)
    await runCommand(["node", script, ...args])
  }
  const [finished, seconds] = await timed(async () => [
    ...(await runFiles(name, tests)),
    ...(await runScripts(scripts)),
  ])
  say(`\n${name}: ${Math.round(seconds)} s`)
  return finished
}

const { values: options } = parseArgs({
  options: {
    all: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    shard: { type: "string" },
  },
})

const shards = cutShards(deepEntries(), readTimes())
const nameOf = (index: number): string => `deep shard ${index + 1} of ${shards.length}`

const chosen = (): readonly number[] => {
  if (options.all) return shards.map((_, index) => index)
  if (options.shard === undefined)
    return [
      shardOfTree(execFileSync("git", ["rev-parse", "HEAD^{tree}"], { cwd: root, encoding: "utf8" }), shards.length),
    ]
  const index = Number(options.shard) - 1
  if (shards[index] === undefined) {
    say(`there is no shard ${options.shard}: name one of 1 to ${shards.length}`)
    process.exit(2)
  }
  return [index]
}

const main = async (): Promise<void> => {
  if (options.list) {
    const times = readTimes()
    for (const [index, entries] of shards.entries())
      say(
        `${nameOf(index)}\n${entries.map((entry) => `  ${String(times[entry] ?? "?").padStart(4)} s  ${entry}`).join("\n")}`,
      )
    return
  }
  // test/helpers/effort.ts reads it.
  process.env["ADJUTANT_TEST_DEEP"] = "true"
  const finished: Finished[] = []
  for (const index of chosen()) {
    say(`\n▸ ${nameOf(index)}; run it with: npm run test:deep -- --shard ${index + 1}`)
    finished.push(...(await runShard(nameOf(index), shards[index] ?? [])))
  }
  if (options.record) {
    const times: Readonly<Record<string, number>> = { ...readTimes(), ...measured }
    const kept = deepEntries().flatMap((entry) => (times[entry] === undefined ? [] : [[entry, times[entry]] as const]))
    writeFileSync(timesFile, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`)
  }
  process.exitCode = printSummary(finished) ? 0 : 1
}

await main()
