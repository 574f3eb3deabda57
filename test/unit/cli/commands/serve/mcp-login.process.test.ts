import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runCli } from "../../../../../cli/run-cli.ts"
import { freePort } from "../../../../../server/exposure/choose-ports.ts"
import { type OauthServer, startOauthServer } from "../../../../helpers/mcp/oauth-server.ts"
import { untilPasses } from "../../../../helpers/eventually.ts"
import { stubEnvironment } from "../../stub-environment.ts"

let root: string
let remote: OauthServer
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "adjutant-mcp-login-")))
  remote = await startOauthServer()
  const oauth = { callbackPort: await freePort(new Set()) }
  const robot = { grant: "client_credentials", clientId: "r", clientSecretEnv: "S", issuer: remote.issuer }
  const mcpServers = {
    web: { url: remote.url, oauth },
    robot: { url: remote.url, oauth: robot },
    local: { command: "./local.sh" },
  }
  await writeFile(join(root, "adjutant.config.yaml"), JSON.stringify({ mcpServers }))
})
afterEach(async () => {
  await remote.close()
  await rm(root, { recursive: true, force: true })
})

const environmentOf = () => stubEnvironment({ cwd: root, env: { XDG_STATE_HOME: join(root, "state") } })

const adjutant = async (...args: readonly string[]) => {
  const { environment, written } = environmentOf()
  const code = await runCli(["--trust", ...args], environment)
  return { code, ...written }
}

describe("adjutant mcp-login", () => {
  it("prints an address, waits for the browser, and says what the server has", async () => {
    const { environment, written } = environmentOf()
    const login = runCli(["--trust", "mcp-login", "web"], environment)
    const address = await untilPasses(() => {
      const [found] = /http\S+\/authorize\S+/.exec(written.stderr) ?? []
      if (found === undefined) throw new Error("no address yet")
      return found
    })
    await fetch(address)
    expect(await login).toBe(0)
    expect(written.stdout).toMatch(/^logged in at web, which has \d+ tools\n$/)
    expect(`${written.stdout}${written.stderr}`).not.toMatch(/access-|refresh-/)
    expect(await adjutant("mcp-login", "web", "--remove")).toMatchObject({
      code: 0,
      stdout: "the login at web is removed\n",
    })
    expect((await adjutant("mcp-login", "web", "--remove")).stdout).toBe("there is no login at web\n")
  })

  it.each([
    ["nope", "no MCP server nope is configured; mcpServers has web, robot, local"],
    ["local", "MCP server local is a program, which needs no login: set its secrets with envFrom"],
    ["robot", "MCP server robot needs no login: mcpServers.robot.oauth has credentials of the client"],
  ])("refuses %s with the reason", async (server, reason) => {
    const { code, stderr } = await adjutant("mcp-login", server)
    expect(code).toBe(2)
    expect(stderr).toContain(reason)
  })
})
