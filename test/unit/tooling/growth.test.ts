import { expect, test } from "vitest"
import { growthOf, mostGrowth } from "../../helpers/growth.ts"

const letters = (size: number): string => "a".repeat(size)

test("work in linear time grows less than the limit, and work in quadratic time more", () => {
  const linear = (text: string): number => text.replaceAll("a", "bb").length
  expect(growthOf(letters, linear, 200_000)).toBeLessThan(mostGrowth)
  const quadratic = (text: string): boolean => /a*b/.test(text)
  expect(growthOf(letters, quadratic, 20_000)).toBeGreaterThan(mostGrowth)
})
