import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, test } from "vitest"
import { loadConnectionProfile } from "../../../../server/connection/connection-profile.ts"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "adjutant-profile-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const withFile = (toml: string, env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
  const path = join(folder, "temporal.toml")
  writeFileSync(path, toml)
  return { HOME: folder, TEMPORAL_CONFIG_FILE: path, ...env }
}

test("without settings, no server is named", () => {
  expect(loadConnectionProfile({ HOME: folder })).toBeUndefined()
})

test("TEMPORAL_ADDRESS names a server, in the default namespace, without TLS", () => {
  expect(loadConnectionProfile({ HOME: folder, TEMPORAL_ADDRESS: "temporal:7233" })).toMatchObject({
    address: "temporal:7233",
    namespace: "default",
    connectionOptions: { address: "temporal:7233", tls: undefined },
  })
})

test("an API key turns TLS on", () => {
  const env = {
    HOME: folder,
    TEMPORAL_ADDRESS: "ns.tmprl.cloud:7233",
    TEMPORAL_API_KEY: "k",
    TEMPORAL_NAMESPACE: "ns.acct",
  }
  expect(loadConnectionProfile(env)).toMatchObject({
    namespace: "ns.acct",
    connectionOptions: { apiKey: "k", tls: true },
  })
})

test("a profile file names a server, and the environment overrides it", () => {
  const toml = '[profile.default]\naddress = "a:1"\n[profile.prod]\naddress = "b:2"\nnamespace = "prod"\n'
  expect(loadConnectionProfile(withFile(toml))?.address).toBe("a:1")
  expect(loadConnectionProfile(withFile(toml, { TEMPORAL_PROFILE: "prod" }))).toMatchObject({
    address: "b:2",
    namespace: "prod",
  })
  expect(loadConnectionProfile(withFile(toml, { TEMPORAL_ADDRESS: "c:3" }))?.address).toBe("c:3")
})

test("client certificates are read from their files", () => {
  const crt = join(folder, "crt.pem")
  const key = join(folder, "key.pem")
  writeFileSync(crt, "CRT")
  writeFileSync(key, "KEY")
  const env = {
    HOME: folder,
    TEMPORAL_ADDRESS: "a:1",
    TEMPORAL_TLS_CLIENT_CERT_PATH: crt,
    TEMPORAL_TLS_CLIENT_KEY_PATH: key,
  }
  const tls = loadConnectionProfile(env)?.connectionOptions.tls
  expect(tls).toMatchObject({
    clientCertPair: { crt: new TextEncoder().encode("CRT"), key: new TextEncoder().encode("KEY") },
  })
})

const thrownBy = (env: NodeJS.ProcessEnv): unknown => {
  try {
    loadConnectionProfile(env)
    return undefined
  } catch (error) {
    return error
  }
}

test("a broken profile file is a configuration error that does not quote the file", () => {
  const error = thrownBy(withFile('[profile.default]\napi_key = "sesame'))
  expect(error).toMatchObject({ code: "invalid_config", message: expect.stringContaining("TEMPORAL_CONFIG_FILE") })
  expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("sesame")
})

test.each([
  ["a profile that does not exist", { TEMPORAL_PROFILE: "nope" }, /nope/],
  [
    "a certificate that cannot be read",
    { TEMPORAL_ADDRESS: "a:1", TEMPORAL_TLS_CLIENT_CERT_PATH: "/none.pem" },
    /none\.pem/,
  ],
  ["an API key without an address", { TEMPORAL_API_KEY: "k" }, /TEMPORAL_ADDRESS/],
  ["an address that is a URL", { TEMPORAL_ADDRESS: "http://user:pw@a:1" }, /host:port/],
  ["a profile file without a profile", { TEMPORAL_CONFIG_FILE: "/dev/null" }, /TEMPORAL_CONFIG_FILE/],
])("%s is a configuration error", (_what, env, message) => {
  expect(thrownBy({ HOME: folder, ...env })).toMatchObject({
    code: "invalid_config",
    message: expect.stringMatching(message),
  })
})
