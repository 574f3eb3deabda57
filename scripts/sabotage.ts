// `npm run test:sabotage` applies each fault of test/sabotage to a copy of the checkout, runs the tests that it affects, and prints which test
// caught it. Exits with code 1 if a fault slipped. test/sabotage/README.md has the options.
import { mkdtempSync, rmSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { faultsByArea } from "../test/sabotage/faults.ts"
import { runCommand } from "./checks/run-command.ts"
import { createTestFinder } from "./sabotage/affected-tests.ts"
import { copyCheckout, readSources } from "./sabotage/copy-checkout.ts"
import { type Fault, listMisfits } from "./sabotage/fault.ts"
import { areaTable, faultLine, lostLines, parseTried, type TriedFault } from "./sabotage/report.ts"
import { createTestRunner } from "./sabotage/run-stage.ts"
import { tryFaults } from "./sabotage/try-faults.ts"

const root = path.resolve(import.meta.dirname, "..")
/** They only stop a hang. */
const runLimitMs = 900_000
const cleanLimitMs = 7_200_000

const { values } = parseArgs({
  options: {
    area: { type: "string", multiple: true },
    only: { type: "string", multiple: true },
    json: { type: "string" },
    before: { type: "string" },
    check: { type: "boolean", default: false },
    thorough: { type: "boolean", default: false },
  },
})

const say = (text: string) => process.stdout.write(`${text}\n`)

const chosen = Object.entries(faultsByArea)
  .filter(([area]) => values.area === undefined || values.area.includes(area))
  .flatMap(([area, faults]) => faults.map((fault) => ({ area, fault })))
  .filter(({ fault }) => values.only === undefined || values.only.some((part) => fault.name.includes(part)))

const isOfPage = ({ file }: Pick<Fault, "file">): boolean => file.startsWith("web/")

/** The tests of the page use its script, which is built from the sources. */
const buildPage = async (copy: string): Promise<void> => {
  const exitCode = await runCommand([process.execPath, path.join(copy, "scripts/build-page.ts")])
  if (exitCode !== 0) throw new Error("the page cannot be built with this fault")
}

/** Returns a function that prints a result and adds it to the file of `--json`. */
const reporter = () => {
  const byName = new Map<string, TriedFault>()
  return async (tried: TriedFault): Promise<void> => {
    byName.set(tried.name, tried)
    say(faultLine(tried))
    if (values.json !== undefined)
      await writeFile(path.resolve(root, values.json), `${JSON.stringify([...byName.values()], undefined, 2)}\n`)
  }
}

const tryAll = async (folder: string): Promise<readonly TriedFault[]> => {
  const [copy, clean] = [path.join(folder, "copy"), path.join(folder, "clean")]
  for (const each of [copy, clean]) {
    copyCheckout(root, each)
    if (chosen.some(({ fault }) => isOfPage(fault))) await buildPage(each)
  }
  const find = createTestFinder(readSources(root))
  const before = values.before === undefined ? [] : parseTried(await readFile(values.before, "utf8"))
  const sabotaged = createTestRunner(copy, { limitMs: runLimitMs, stopsAtFirst: true })
  const unharmed = createTestRunner(clean, { limitMs: cleanLimitMs, stopsAtFirst: false })
  const tried = await tryFaults(
    {
      copy,
      runStage: sabotaged.run,
      runClean: unharmed.run,
      changed: async (fault) => {
        await sabotaged.changed(fault.file)
        if (isOfPage(fault)) await buildPage(copy)
      },
      findTests: (file, name) => {
        const earlier = before.find((each) => each.name === name)?.outcome
        const hint = chosen.find(({ fault }) => fault.name === name)?.fault.triedFirst
        const first = [...(earlier?.at === "caught" ? [earlier.file] : []), ...(hint === undefined ? [] : [hint])]
        return find(file, { first: [...new Set(first)], isThorough: values.thorough })
      },
      report: reporter(),
    },
    chosen,
  )
  await Promise.all([sabotaged.close(), unharmed.close()])
  for (const line of lostLines(before, tried)) say(`no longer caught: ${line}`)
  return tried
}

const misfits = await listMisfits(
  root,
  chosen.map(({ fault }) => fault),
)
if (chosen.length === 0) {
  say(`no fault has this area or name; the areas are ${Object.keys(faultsByArea).join(", ")}`)
  process.exitCode = 1
} else if (misfits.length > 0) {
  say(`adapt these faults to the code that they are to change:\n${misfits.join("\n")}`)
  process.exitCode = 1
} else if (!values.check) {
  const folder = mkdtempSync(path.join(tmpdir(), "adjutant-sabotage-"))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  process.once("SIGINT", () => process.exit(130))
  process.once("SIGTERM", () => process.exit(143))
  const tried = await tryAll(folder)
  say(`\n${areaTable(tried)}`)
  // Servers that tests started for all faults need not end by themselves.
  process.exit(tried.every(({ outcome }) => outcome.at === "caught") ? 0 : 1)
}
