import { expect, test } from "vitest"
import { readAudit } from "../../../scripts/checks/audit-report.ts"

const advisory = (severity: string) => ({
  source: 1,
  name: "a",
  title: "Prototype Pollution",
  url: "https://github.com/advisories/GHSA-1",
  severity,
  range: "<2.0.0",
})

const vulnerability = (name: string, severity: string, fixAvailable: unknown, via: readonly unknown[]) => ({
  name,
  severity,
  isDirect: true,
  via,
  effects: [],
  range: "<2.0.0",
  nodes: [`node_modules/${name}`],
  fixAvailable,
})

const report = (...found: readonly ReturnType<typeof vulnerability>[]): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(found.map((each) => [each.name, each])),
    metadata: { vulnerabilities: { total: found.length } },
  })

test("names high and critical vulnerabilities with a fix", () => {
  const verdict = readAudit(
    report(
      vulnerability("a", "high", true, [advisory("high")]),
      vulnerability("b", "critical", { name: "b", version: "3.0.0", isSemVerMajor: true }, ["a"]),
      vulnerability("c", "high", false, [advisory("high")]),
      vulnerability("d", "moderate", true, [advisory("moderate")]),
    ),
  )
  expect(verdict).toEqual({
    fixable: [
      "a <2.0.0: high: Prototype Pollution (https://github.com/advisories/GHSA-1)",
      "b <2.0.0: critical: through a; fixed by b 3.0.0",
    ],
    unfixable: ["c <2.0.0: high: Prototype Pollution (https://github.com/advisories/GHSA-1)"],
    others: 1,
  })
})

test("passes without vulnerabilities", () => {
  expect(readAudit(report())).toEqual({ fixable: [], unfixable: [], others: 0 })
})

test("gives no verdict if the registry has no audit data, or there is no report", () => {
  expect(readAudit(JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405 }))).toEqual({
    skipped: "405 Method Not Allowed",
  })
  expect(readAudit("")).toEqual({ skipped: "npm audit printed no report" })
  expect(readAudit(JSON.stringify({ auditReportVersion: 3, vulnerabilities: {} }))).toHaveProperty("skipped")
})
