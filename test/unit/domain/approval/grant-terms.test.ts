import { describe, expect, it } from "vitest"
import { coversCall, grantProblem } from "../../../../domain/approval/grant-terms.ts"

const write = { tool: "Write", arguments: { file_path: "docs/**" } }
const writeCall = (realPath: string | undefined, more = {}) => ({
  tool: "Write",
  arguments: { file_path: "whatever the model wrote", content: "x", ...more },
  realPath,
})

describe("a grant", () => {
  it("judges a path by where it leads, not by its text", () => {
    expect(coversCall(write, writeCall("docs/a.md"))).toBe(true)
    expect(coversCall(write, writeCall("src/a.ts"))).toBe(false)
    expect(coversCall(write, writeCall(undefined))).toBe(false)
  })

  it("covers one exact tool", () => {
    expect(coversCall(write, { ...writeCall("docs/a.md"), tool: "Edit" })).toBe(false)
    expect(coversCall({ ...write, tool: "write" }, writeCall("docs/a.md"))).toBe(false)
  })

  it("covers no call with an argument that it does not name", () => {
    const mail = { tool: "mcp__mail__send", arguments: { to: "*@example.org" } }
    const call = (args: Record<string, unknown>) => ({ tool: mail.tool, arguments: args })
    expect(coversCall(mail, call({ to: "mia@example.org" }))).toBe(true)
    expect(coversCall(mail, call({ to: "mia@example.org", bcc: "eve@example.net" }))).toBe(false)
    expect(coversCall(mail, call({}))).toBe(false)
    expect(coversCall(mail, call({ to: ["mia@example.org"] }))).toBe(false)
    const open = { ...mail, arguments: { ...mail.arguments, "*": "**" } }
    expect(coversCall(open, call({ to: "mia@example.org", body: { text: "x" } }))).toBe(true)
    expect(coversCall(open, call({ to: "eve@example.net", body: "x" }))).toBe(false)
    expect(coversCall(mail, call({ to: "mia@example.org", ["__proto__x"]: 1 }))).toBe(false)
    expect(coversCall({ tool: mail.tool, arguments: { toString: "**" } }, call({ to: "x" }))).toBe(false)
  })

  it("for WebFetch is for a host", () => {
    const call = (url: string) => ({ tool: "WebFetch", arguments: { url, max_chars: 9 } })
    const grant = (url: string) => ({ tool: "WebFetch", arguments: { url } })
    expect(coversCall(grant("docs.example.org"), call("https://docs.example.org/a?b=c"))).toBe(true)
    for (const url of [
      "https://example.org/",
      "https://docs.example.org.evil.net/",
      "https://evil.net/docs.example.org",
    ])
      expect(coversCall(grant("docs.example.org"), call(url))).toBe(false)
    expect(grantProblem(grant("docs.example.org"), "prompt")).toBeUndefined()
    for (const url of ["*", "**", "https://docs.example.org/*"])
      expect(grantProblem(grant(url), "prompt")).toContain("is a host")
    expect(grantProblem({ tool: "WebFetch", arguments: { "*": "**" } }, "prompt")).toContain(
      "requires a pattern for url",
    )
    expect(grantProblem({ tool: "apply_patch", arguments: { "*": "**" } }, "prompt")).toContain(
      "a patch names its files",
    )
  })

  it("for Bash leaves only the description and the time limit open", () => {
    const bash = { tool: "Bash", arguments: { command: "npm test" } }
    const call = (more = {}) => ({ tool: "Bash", arguments: { command: "npm test", ...more } })
    expect(coversCall(bash, call({ description: "test", timeout_ms: 5 }))).toBe(true)
    expect(coversCall(bash, call({ run_in_background: true }))).toBe(false)
    const others = { tool: "Bash", arguments: { "*": "**" } }
    expect(coversCall(others, call())).toBe(false)
  })

  it("covers a command that leaves its sandbox only by its very text, and by naming what it asks for", () => {
    const call = (more: Record<string, unknown>) => ({
      tool: "Bash",
      arguments: { command: "npm ci", reason: "packages", ...more },
    })
    const leaving = call({ unconfined: true })
    const online = call({ network: ["registry.npmjs.org"] })
    const grant = (patterns: Record<string, string>) => ({
      tool: "Bash",
      arguments: { command: "npm ci", ...patterns },
    })
    expect(coversCall(grant({ unconfined: "true" }), leaving)).toBe(true)
    for (const network of ["registry.npmjs.org", "*"]) expect(coversCall(grant({ network }), online)).toBe(true)
    const others: readonly Record<string, string>[] = [{}, { "*": "**" }, { unconfined: "true", command: "npm *" }]
    for (const patterns of others) {
      expect(coversCall(grant(patterns), leaving), JSON.stringify(patterns)).toBe(false)
      expect(coversCall(grant(patterns), online), JSON.stringify(patterns)).toBe(false)
    }
    expect(coversCall(grant({ unconfined: "true" }), call({}))).toBe(false)
    expect(grantProblem(grant({ unconfined: "true" }), "auto")).toBeUndefined()
    expect(grantProblem(grant({ network: "a.org", command: "npm *" }), "auto")).toContain("exact text")
  })

  it("covers a command that reaches hosts only by these very hosts, and the whole network only by naming that", () => {
    const online = (network: readonly string[], opens: "hosts" | "network" = "hosts") => ({
      tool: "Bash",
      arguments: { command: "npm ci", reason: "packages", network },
      opens,
    })
    const grant = (network: string) => ({ tool: "Bash", arguments: { command: "npm ci", network } })
    expect(coversCall(grant("b.org, a.org"), online(["a.org", "b.org"]))).toBe(true)
    for (const hosts of [["a.org"], ["a.org", "b.org", "c.org"], ["a.org", "c.org"], []])
      expect(coversCall(grant("a.org,b.org"), online(hosts)), hosts.join()).toBe(false)
    expect(coversCall(grant("*.a.org"), online(["x.a.org"]))).toBe(false)
    // An old grant for any hosts.
    expect(coversCall(grant("**"), online(["a.org"]))).toBe(false)
    expect(coversCall(grant("a.org"), online(["a.org"], "network"))).toBe(false)
    expect(coversCall(grant("*"), online(["a.org"], "network"))).toBe(true)
    for (const network of ["**", "", ",", "a.org,*"])
      expect(grantProblem(grant(network), "prompt"), network).toContain("exact hosts")
    for (const network of ["*", "a.org, *.b.org"]) expect(grantProblem(grant(network), "prompt")).toBeUndefined()
  })

  it("is refused if it cannot have an effect, or would have too much", () => {
    expect(grantProblem({ tool: "Bash", arguments: {} }, "prompt")).toContain("command")
    expect(grantProblem({ tool: "Bash", arguments: { command: "git *" } }, "prompt")).toBeUndefined()
    expect(grantProblem({ tool: "Bash", arguments: { command: "git*" } }, "prompt")).toContain('" *"')
    expect(grantProblem({ tool: "Write", arguments: {} }, "prompt")).toContain("file_path")
    expect(grantProblem({ tool: "Write", arguments: { file_path: "/etc/**" } }, "prompt")).toContain("relative")
    expect(grantProblem(write, "never")).toContain("never allows Write")
    expect(grantProblem({ tool: "sessions_spawn", arguments: {} }, "prompt")).toContain("ordinary tools")
  })
})
