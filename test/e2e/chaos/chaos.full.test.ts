import { expect, it } from "vitest"
import { runChaos } from "../../chaos/run-chaos.ts"

it("two minutes of chaos violate no invariant", async () => {
  // A session that is started within seconds of a swap can start on the wrong engine: docs/durability.md.
  const report = await runChaos({ seed: 1, minutes: 2, swapsEngine: false, log: (line) => console.log(line) })
  expect(report.sessions).toBeGreaterThan(10)
  expect(report.violations).toEqual([])
})
