import { expect, it } from "vitest"
import { bindingExpiresAtMs } from "../../../../domain/delivery/binding-expiry.ts"

it.each([
  ["never, without limits", { idleMs: 0, maxAgeMs: 0 }, undefined],
  ["after silence", { idleMs: 50, maxAgeMs: 0 }, 250],
  ["at its maximum age, even if messages arrive", { idleMs: 0, maxAgeMs: 120 }, 220],
  ["at whichever comes first", { idleMs: 500, maxAgeMs: 120 }, 220],
])("a binding ends %s", (_, limits, expected) =>
  expect(
    bindingExpiresAtMs({ boundAt: new Date(100).toISOString(), activeAt: new Date(200).toISOString(), ...limits }),
  ).toBe(expected),
)
