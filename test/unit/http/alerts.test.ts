import { readFile } from "node:fs/promises"
import path from "node:path"
import { expect, it } from "vitest"
import { createWorkerMetrics } from "../../../activities/worker-metrics.ts"
import { parse } from "yaml"
import { httpFixture } from "./http-fixture.ts"

const root = path.resolve(import.meta.dirname, "../../..")

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly runbook: string }
}

/** Returns the names of the counters of a worker. */
const workerMetrics = (): readonly string[] => {
  const names: string[] = []
  const named = (name: string): never => {
    names.push(name)
    return undefined as never
  }
  createWorkerMetrics({ createCounter: named, createHistogram: named, createGauge: named, withTags: () => named("") })
  return names
}

it("every alert rule asks for metrics that exist, and links to a section of the runbooks", async () => {
  const { ask } = await httpFixture()
  const { text } = await ask({ url: "/metrics" })
  const served = new Set([...[...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name), ...workerMetrics()])
  const file = parse(await readFile(path.join(root, "docker/alerts.yaml"), "utf8"))
  const rules: readonly Rule[] = file.groups[0].rules
  const page = await readFile(path.join(root, "docs/operate.md"), "utf8")
  const anchors = [...page.matchAll(/^### (.+)$/gm)].map(([, title = ""]) => title.toLowerCase().replaceAll(" ", "-"))
  expect(rules).toHaveLength(10)
  for (const { expr, annotations } of rules) {
    const asked = expr.match(/adjutant_\w+/g) ?? []
    expect(asked.filter((name) => !served.has(name))).toEqual([])
    expect(asked).not.toEqual([])
    expect(anchors).toContain(annotations.runbook.split("#")[1])
  }
})
