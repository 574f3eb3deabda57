import { expect, it } from "vitest"
import { testWith } from "../../helpers/needs.ts"
import { postgres } from "../../helpers/store/store-under-test.ts"
import { runChaos } from "../../chaos/run-chaos.ts"

it("two minutes of chaos violate no invariant", async () => {
  const report = await runChaos({ seed: 1, minutes: 2, log: (line) => console.log(line) })
  expect(report.sessions).toBeGreaterThan(10)
  expect(report.faults).toMatchObject({ "put an empty Temporal server in its place": expect.any(Number) })
  expect(report.violations).toEqual([])
})

testWith([postgres()], "a minute of chaos with a PostgreSQL store that restarts violates no invariant", async () => {
  const report = await runChaos({ seed: 2, minutes: 1, store: "postgres", log: (line) => console.log(line) })
  expect(report.faults).toMatchObject({ "restart PostgreSQL": expect.any(Number) })
  expect(report.violations).toEqual([])
})

it("two minutes of chaos of a service and its Temporal server violate no invariant", async () => {
  const report = await runChaos({ seed: 3, minutes: 2, deployment: "service", log: (line) => console.log(line) })
  expect(report.faults).toMatchObject({
    "kill the keeper": expect.any(Number),
    "let the machine sleep": expect.any(Number),
  })
  expect(report.violations).toEqual([])
})
