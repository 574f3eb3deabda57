import { expect, test } from "vitest"
import { modelSpecOf } from "../../../../activities/model/model-prompt.ts"
import type { RunSnapshot } from "../../../../contracts/run-snapshot.ts"
import { modelSpec } from "../../../helpers/providers/model-request.ts"

const runWith = (pauseOnText: boolean): RunSnapshot =>
  ({
    pauseOnText,
    models: { main: modelSpec({ price: { inputPerMTok: 4, outputPerMTok: 20, cacheWritePerMTok: 5 } }) },
  }) as Partial<RunSnapshot> as RunSnapshot

test("the model of a run that waits for people keeps prompts for an hour, and is charged for it", () => {
  expect(modelSpecOf(runWith(true), "main")).toMatchObject({ cacheMinutes: 60, price: { cacheWritePerMTok: 8 } })
  expect(modelSpecOf(runWith(false), "main")).not.toHaveProperty("cacheMinutes")
  expect(() => modelSpecOf(runWith(true), "other")).toThrow("model other is not configured; configured: main")
})
