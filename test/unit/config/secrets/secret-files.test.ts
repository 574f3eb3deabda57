import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { loadConfig } from "../../../../config/load-config.ts"
import { adoptSecretFiles } from "../../../../config/secrets/secret-files.ts"
import { createSecretRedact } from "../../../../config/secrets/secrets.ts"

const folderWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "adjutant-secrets-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

const names = new Set(["PGPASSWORD"])

test("reads a secret from the file that NAME_FILE names, without its line break", async () => {
  const folder = await folderWith({ password: "hunter2\n" })
  const env = { PGPASSWORD_FILE: join(folder, "password"), OTHER_FILE: "/nowhere" }
  adoptSecretFiles(env, names)
  adoptSecretFiles(env, names)
  expect(env).toEqual({ ...env, PGPASSWORD: "hunter2" })
  expect(env).not.toHaveProperty("OTHER")
})

test("rejects a value and a file that differ, without repeating either", async () => {
  const folder = await folderWith({ password: "hunter2" })
  const adopt = () => adoptSecretFiles({ PGPASSWORD: "hunter3", PGPASSWORD_FILE: join(folder, "password") }, names)
  expect(adopt).toThrow(/PGPASSWORD and PGPASSWORD_FILE/)
  expect(adopt).not.toThrow(/hunter/)
})

test.each([
  ["missing", "cannot be read"],
  ["empty", "empty"],
  ["lines", "one line"],
  ["folder", "is not a file"],
  ["large", "64 KiB"],
])("rejects a file that is not a secret: %s", async (name, reason) => {
  const folder = await folderWith({ empty: " \n", lines: "a\nb", large: "x".repeat(70_000) })
  await mkdir(join(folder, "folder"))
  const adopt = () => adoptSecretFiles({ PGPASSWORD_FILE: join(folder, name) }, names)
  expect(adopt).toThrow(reason)
  expect(adopt).toThrow(expect.objectContaining({ code: "invalid_config" }))
})

test("accepts a key in PEM with several lines", async () => {
  const pem = "-----BEGIN KEY-----\nabc\n-----END KEY-----"
  const env: Record<string, string> = { KEY_FILE: join(await folderWith({ pem: `${pem}\n` }), "pem") }
  adoptSecretFiles(env, new Set(["KEY"]))
  expect(env["KEY"]).toBe(pem)
})

test("reads every secret in the configuration from a file, and a key from a file selects the model", async () => {
  const folder = await folderWith({
    "adjutant.config.yaml": "http: { tokens: [{ name: ci, tokenEnv: CI_TOKEN, scopes: [read] }] }\n",
    token: "t0ken\n",
    key: "k3y\n",
  })
  const env: Record<string, string> = {
    CI_TOKEN_FILE: join(folder, "token"),
    ANTHROPIC_API_KEY_FILE: join(folder, "key"),
  }
  const loaded = await loadConfig({ cwd: folder, env, dataDir: "data", trust: { isGiven: true } })
  expect(env).toMatchObject({ CI_TOKEN: "t0ken", ANTHROPIC_API_KEY: "k3y" })
  expect(loaded.models["main"]).toMatchObject({ provider: "anthropic" })
})

test("reads a file again when it has changed, and redacts both values", async () => {
  const folder = await folderWith({ key: "first-key\n" })
  const path = join(folder, "key")
  const env: Record<string, string | undefined> = { ANTHROPIC_API_KEY_FILE: path }
  const loaded = await loadConfig({ cwd: folder, env, dataDir: "data", trust: { isGiven: true } })
  const redact = createSecretRedact(loaded, env)
  expect(env["ANTHROPIC_API_KEY"]).toBe("first-key")
  await writeFile(join(folder, "next"), "second-key\n")
  await rename(join(folder, "next"), path)
  expect(env["ANTHROPIC_API_KEY"]).toBe("second-key")
  expect({ ...env }).toMatchObject({ ANTHROPIC_API_KEY: "second-key" })
  expect(redact("first-key, second-key, third-key")).toBe("[redacted], [redacted], third-key")
  await rm(path)
  expect(env["ANTHROPIC_API_KEY"]).toBe("second-key")
  await writeFile(path, "third-key")
  expect(env["ANTHROPIC_API_KEY"]).toBe("third-key")
  expect(redact("third-key")).toBe("[redacted]")
})
