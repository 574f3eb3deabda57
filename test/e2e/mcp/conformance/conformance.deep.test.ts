import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { serveMcpOverHttp } from "../../../../mcp/http-endpoint.ts"
import { createFakeModel } from "../../../helpers/models/fake-model.ts"
import { openHttpHarness, type HttpHarness } from "../../../helpers/http/http-harness.ts"
import { createFixtureServer } from "./fixture-server.ts"
import { type Exceptions, fixtureExceptions, productExceptions } from "./exceptions.ts"
import { type Revision, runConformanceSuite, type ScenarioResult } from "./run-suite.ts"

const model = createFakeModel(() => ({ text: "Done." }))
const revisions: readonly Revision[] = ["2025-11-25", "2026-07-28"]

const failuresOf = (results: ReadonlyMap<string, ScenarioResult>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...results].filter(([, { failed }]) => failed.length > 0).map(([name, { failed }]) => [name, failed]),
  )

const checksOf = (exceptions: readonly Exceptions[]): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(exceptions.flatMap(({ checks }) => Object.entries(checks)))

/** The fixture does not have the Tasks extension. */
const withoutTasks = (results: ReadonlyMap<string, ScenarioResult>): ReadonlyMap<string, ScenarioResult> =>
  new Map([...results].filter(([name]) => !name.startsWith("tasks-")))

describe("MCP conformance of the transport, with the tools that the suite calls", () => {
  let harness: HttpHarness
  const endpoint = serveMcpOverHttp(createFixtureServer, () => undefined)
  beforeAll(async () => {
    harness = await openHttpHarness({ model }, { mcp: endpoint })
  })
  afterAll(async () => {
    await endpoint.close()
    await harness.close()
  })

  it.each(revisions)("passes every scenario of %s except those that are listed with a reason", async (revision) => {
    const results = await runConformanceSuite(`${harness.url}/mcp`, revision)
    expect(results.size).toBeGreaterThan(25)
    expect(failuresOf(withoutTasks(results))).toEqual(checksOf(fixtureExceptions[revision]))
  })
})

describe("MCP conformance of Adjutant's own server", () => {
  let harness: HttpHarness
  beforeAll(async () => {
    harness = await openHttpHarness({ model })
  })
  afterAll(() => harness.close())

  it.each(revisions)("fails only checks of %s that need tools, resources or prompts of the suite", async (revision) => {
    const results = await runConformanceSuite(`${harness.url}/mcp`, revision)
    expect(results.size).toBeGreaterThan(25)
    expect(failuresOf(results)).toEqual(checksOf(productExceptions[revision]))
  })
})
