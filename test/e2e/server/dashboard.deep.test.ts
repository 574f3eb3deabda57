import { execFileSync } from "node:child_process"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { parse } from "yaml"
import { programOnPath } from "../../../server/program/program-on-path.ts"
import { choosePort } from "../../../server/exposure/choose-ports.ts"
import { untilPasses } from "../../helpers/eventually.ts"
import { testWith } from "../../helpers/needs.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const alerts = path.join(root, "docker/alerts.yaml")
const goProgram = programOnPath("go", process.env)
const go = { name: "Go and its module proxy", isAvailable: goProgram !== undefined }

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

/** Returns the expressions of the dashboard and of the alert rules, with the interval that Grafana would choose. */
const expressions = async (): Promise<readonly string[]> => {
  const { panels }: Dashboard = JSON.parse(await readFile(path.join(root, "docker/grafana-dashboard.json"), "utf8"))
  const rules: readonly { readonly expr: string }[] = parse(await readFile(alerts, "utf8")).groups[0].rules
  return [...panels.flatMap(({ targets }) => targets), ...rules].map(({ expr }) =>
    expr.replaceAll("$__rate_interval", "5m").trim(),
  )
}

/** A histogram is asked for by its parts. */
const familyOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, "")

let project: ProjectDirectory
beforeAll(async () => {
  const call = { id: "call_a", name: "Glob", arguments: { pattern: "*" } }
  const turns = [{ reply: { text: "I look.", tool_calls: [call] } }, { reply: { text: "Hello." } }]
  project = await createProject({ main: { conversations: [{ turns }] } })
})
afterAll(() => project.remove())

it("every query of the dashboard asks for metrics that a worker or a server has", async () => {
  const port = await choosePort(undefined)
  const worker = project.start("worker", "--metrics-port", String(port))
  await worker.stderrHas("worker ready")
  expect((await project.run("run", "-a", "Look.")).code).toBe(0)
  const serve = project.start("serve", "--port", "0")
  await serve.stderrHas("http://127.0.0.1:")
  const [url = ""] = /http:\/\/127\.0\.0\.1:\d+/.exec(serve.stderr()) ?? []
  const headers = await project.authorization()
  await fetch(`${url}/v1/sessions`, { headers })
  await untilPasses(async () => {
    const texts = await Promise.all([
      fetch(`http://127.0.0.1:${port}/metrics`).then((response) => response.text()),
      fetch(`${url}/metrics`, { headers }).then((response) => response.text()),
    ])
    const served = new Set(texts.flatMap((text) => [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)))
    const asked = (await expressions()).flatMap((expr) => expr.match(/\b(?:adjutant|temporal)_\w+/g) ?? [])
    expect(asked.length).toBeGreaterThan(30)
    // Nothing was delivered.
    const missing = asked.map(familyOf).filter((name) => !served.has(name) && name !== "adjutant_deliveries_total")
    expect([...new Set(missing)]).toEqual([])
  })
  for (const program of [serve, worker]) {
    program.child.kill("SIGTERM")
    await program.ended
  }
})

testWith([go], "Prometheus reads the alert rules and every query of the dashboard", async () => {
  const asked = await expressions()
  const found = execFileSync(goProgram ?? "", ["run", ".", alerts], {
    cwd: path.join(root, "test/helpers/prometheus"),
    input: `${asked.join("\n")}\n`,
    encoding: "utf8",
    env: { ...process.env, GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" },
  })
  const names = found.trim().split("\n")
  expect(names).toHaveLength(asked.length)
  for (const line of names) expect(line).toMatch(/^(?:(?:adjutant|temporal)_\w+ ?)+$/)
})
