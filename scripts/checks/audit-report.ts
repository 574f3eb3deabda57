import { z } from "zod"

// The report of `npm audit --json`, version 2: https://docs.npmjs.com/cli/commands/npm-audit
const advisorySchema = z.object({ title: z.string(), url: z.string(), severity: z.string() })
const vulnerabilitySchema = z.object({
  name: z.string(),
  severity: z.string(),
  range: z.string(),
  via: z.array(z.union([z.string(), advisorySchema])),
  fixAvailable: z.union([z.boolean(), z.object({ name: z.string(), version: z.string() })]),
})
const reportSchema = z.object({
  auditReportVersion: z.literal(2),
  vulnerabilities: z.record(z.string(), vulnerabilitySchema),
})
const failureSchema = z.object({ message: z.string() })

type Vulnerability = z.infer<typeof vulnerabilitySchema>

/** The verdict over the known vulnerabilities of the installed packages; `skipped` says why there is none. */
export type AuditVerdict =
  | { readonly skipped: string }
  | {
      /** High or critical, with a fix. */
      readonly fixable: readonly string[]
      /** High or critical, without a fix. */
      readonly unfixable: readonly string[]
      /** Number of less severe ones. */
      readonly others: number
    }

const isSevere = ({ severity }: Vulnerability): boolean => severity === "high" || severity === "critical"

const described = ({ name, range, severity, via, fixAvailable }: Vulnerability): string => {
  const causes = via.map((cause) => (typeof cause === "string" ? `through ${cause}` : `${cause.title} (${cause.url})`))
  const fix = typeof fixAvailable === "object" ? `; fixed by ${fixAvailable.name} ${fixAvailable.version}` : ""
  return `${name} ${range}: ${severity}: ${causes.join(", ")}${fix}`
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads what `npm audit --json` printed. A registry without audit data, or no network, gives no verdict. */
export const readAudit = (printed: string): AuditVerdict => {
  const json = parseJson(printed)
  const report = reportSchema.safeParse(json)
  if (!report.success) {
    const failure = failureSchema.safeParse(json)
    return { skipped: failure.success ? failure.data.message : "npm audit printed no report" }
  }
  const all = Object.values(report.data.vulnerabilities)
  const severe = all.filter(isSevere)
  return {
    fixable: severe.filter(({ fixAvailable }) => fixAvailable !== false).map(described),
    unfixable: severe.filter(({ fixAvailable }) => fixAvailable === false).map(described),
    others: all.length - severe.length,
  }
}
