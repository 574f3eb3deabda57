import { expect, it } from "vitest"
import { runChaos } from "../../chaos/run-chaos.ts"

it("two minutes of chaos violate no invariant", async () => {
  const report = await runChaos({ seed: 1, minutes: 2, log: (line) => console.log(line) })
  expect(report.sessions).toBeGreaterThan(10)
  expect(report.violations).toEqual([])
})
