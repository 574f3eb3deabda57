// Fails if an installed package has a known high or critical vulnerability with a fix. Without audit data, the check is skipped.
import { spawnSync } from "node:child_process"
import { readAudit } from "./checks/audit-report.ts"

const { stdout } = spawnSync("npm", ["audit", "--json"], { encoding: "utf8", maxBuffer: 100 * 1024 * 1024 })
const verdict = readAudit(stdout)
if ("skipped" in verdict) {
  // A registry's address may contain a token.
  console.log(`skipped: npm audit, because no audit data can be had: ${verdict.skipped.replaceAll(/https?:\S+/g, "…")}`)
  console.log("0 passed, 0 failed")
} else {
  for (const line of verdict.unfixable) console.log(`known, but without a fix: ${line}`)
  for (const line of verdict.fixable) console.log(`has a fix, run npm audit fix: ${line}`)
  if (verdict.others > 0) console.log(`${verdict.others} less severe: npm audit shows them`)
  console.log(`${verdict.fixable.length === 0 ? 1 : 0} passed, ${verdict.fixable.length} failed`)
  process.exitCode = verdict.fixable.length === 0 ? 0 : 1
}
