import { expect, test } from "vitest"
import { createGoProgress, goComplaint } from "../../../../server/program/go-output.ts"

test("shows no progress before anything is known", () => {
  expect(createGoProgress().text()).toBe("")
})

test("counts modules first, then packages, even if a line arrives in two pieces", () => {
  const progress = createGoProgress()
  progress.read("go: downloading go.temporal.io/server v1.29.1\ngo: downloading google.gol")
  expect(progress.text()).toBe("1 modules downloaded")
  progress.read("ang.org/grpc v1.67.1\ninternal/goarch\ngo.temporal.io/server/common\n")
  expect(progress.text()).toBe("2 of about 1300 packages")
})

test("reports as the failure what Go complained about, whatever else it was building", () => {
  const text = "go: downloading x v1\n# example.org/y\ny.go:3:1: syntax error\ngo.temporal.io/server/common\n"
  expect(goComplaint(text).trim().split("\n").at(-1)).toBe("y.go:3:1: syntax error")
})
