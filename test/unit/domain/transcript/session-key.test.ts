import { describe, expect, it } from "vitest"
import { childSessionKey, mainSessionKey, parseSessionKey } from "../../../../domain/transcript/session-key.ts"

describe("session keys", () => {
  it("grow by one part per level and carry the session's own profile", () => {
    const main = mainSessionKey("general", "aaa111")
    const child = childSessionKey("explore", main, "bbb222")
    const grandchild = childSessionKey("plan", child, "ccc333")
    expect([main, child, grandchild]).toEqual([
      "agent:general:main:aaa111",
      "agent:explore:subagent:bbb222",
      "agent:plan:subagent:bbb222:subagent:ccc333",
    ])
    expect(parseSessionKey(grandchild)).toEqual({ agentId: "plan", depth: 2, ids: ["bbb222", "ccc333"] })
    expect(parseSessionKey(main)).toEqual({ agentId: "general", depth: 0, ids: ["aaa111"] })
  })

  it.each(["", "agent:x", "agent:x:main:", "agent:x:subagent:a:main:b", "session:x:main:a"])(
    "are rejected if they are %j",
    (key) => {
      expect(parseSessionKey(key)).toBeUndefined()
    },
  )
})
