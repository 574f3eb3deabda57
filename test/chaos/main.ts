// `npm run chaos -- --seed N --minutes M [--store postgres | --deployment service] [--kill-every seconds]`: prints each fault, then the totals as JSON; exits with 1 when an invariant was violated.
import { parseArgs } from "node:util"
import { runChaos } from "./run-chaos.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    minutes: { type: "string", default: "2" },
    "side-by-side": { type: "string", default: "6" },
    store: { type: "string", default: "sqlite" },
    deployment: { type: "string", default: "cluster" },
    /** Seconds between additional kills. */
    "kill-every": { type: "string" },
  },
})

const { store, deployment } = values
if (store !== "sqlite" && store !== "postgres") throw new Error("--store must be sqlite or postgres")
if (deployment !== "cluster" && deployment !== "service") throw new Error("--deployment must be cluster or service")
const number = (name: Exclude<keyof typeof values, "store" | "deployment">): number => {
  const value = Number(values[name])
  if (!Number.isFinite(value) || value <= 0) throw new Error(`--${name} must be a positive number`)
  return value
}

const startedAt = performance.now()
const log = (line: string): void => console.error(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s  ${line}`)
const report = await runChaos({
  seed: number("seed"),
  minutes: number("minutes"),
  sideBySide: number("side-by-side"),
  store,
  deployment,
  ...(values["kill-every"] === undefined ? {} : { killEveryMs: number("kill-every") * 1_000 }),
  log,
})
console.log(JSON.stringify(report, undefined, 2))
process.exitCode = report.violations.length > 0 ? 1 : 0
