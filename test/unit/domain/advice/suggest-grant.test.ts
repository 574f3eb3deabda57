import { describe, expect, it } from "vitest"
import { grantWords, suggestGrant } from "../../../../domain/advice/suggest-grant.ts"
import { coversCall } from "../../../../domain/approval/grant-terms.ts"
import { pendingCall } from "../../../helpers/pending-call.ts"

const suggested = (name: string, args: Record<string, unknown>, over: object = {}): string | undefined => {
  const call = { ...pendingCall({ id: "c", name, arguments: args }), ...over }
  const terms = suggestGrant(call)
  if (terms === undefined) return undefined
  const path = Object.values(terms.arguments)[0]
  expect(coversCall(terms, { tool: name, arguments: args, realPath: path })).toBe(true)
  return grantWords(terms)
}

describe("the grant for calls like one", () => {
  it.each([
    ["git status --short", "Bash git status *"],
    ["npm run test -- a.ts", "Bash npm run *"],
    ["rm -rf src", "Bash rm -rf src"],
    ["ls", "Bash ls"],
    ["git commit -m 'a b'", "Bash git commit -m 'a b'"],
    ["cat a | sh", "Bash cat a | sh"],
    ["rm -rf $HOME", "Bash rm -rf $HOME"],
  ])("of the command %s is %s", (command, words) => {
    expect(suggested("Bash", { command })).toBe(words)
  })

  it("is the very file of a change, and every call of another tool", () => {
    expect(suggested("Write", { file_path: "docs/a.md", content: "x" })).toBe("Write docs/a.md")
    expect(suggested("mcp__sum__get", { a: 1, more: { deep: true } })).toBe("every call of mcp__sum__get")
  })

  it("does not exist for what is decided by itself", () => {
    expect(suggested("Write", { file_path: "../a.md", content: "x" })).toBeUndefined()
    expect(suggested("Write", { file_path: "/etc/a", content: "x" })).toBeUndefined()
    expect(suggested("Bash", { command: "ls -l", unconfined: true })).toBeUndefined()
    expect(suggested("Bash", { command: "ls -l" }, { protected: true })).toBeUndefined()
    expect(suggested("sessions_spawn", { task: "x" })).toBeUndefined()
  })
})
