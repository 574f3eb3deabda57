import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const root = fileURLToPath(new URL("../../../node_modules/", import.meta.url))

/** What Adjutant does about each variable that the pinned SDKs read. Judge a new one before you add it. */
const judged: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: "replaced by the model's own key",
  ANTHROPIC_AUTH_TOKEN: "not read with a key",
  ANTHROPIC_BASE_URL: "replaced by the model's address",
  ANTHROPIC_CUSTOM_HEADERS: "hidden from other servers",
  ANTHROPIC_LOG: "replaced by logLevel",
  ANTHROPIC_WEBHOOK_SIGNING_KEY: "never sent",
  AZURE_OPENAI_API_KEY: "hidden; the model's own key is used",
  AZURE_OPENAI_ENDPOINT: "hidden; the model's address is used",
  OPENAI_ADMIN_KEY: "replaced by null",
  OPENAI_API_KEY: "replaced by the model's own key",
  OPENAI_API_VERSION: "replaced by the model's version",
  OPENAI_BASE_URL: "replaced by the model's address",
  OPENAI_CUSTOM_HEADERS: "hidden from other servers",
  OPENAI_LOG: "replaced by logLevel",
  OPENAI_ORG_ID: "hidden from other servers",
  OPENAI_PROJECT_ID: "hidden from other servers",
  OPENAI_WEBHOOK_SECRET: "never sent",
}

const read = /readEnv\(['"]([A-Z0-9_]+)['"]\)|process\.env(?:\.|\[['"])([A-Z0-9_]+)/g

/** Returns the variables that the files of a client read. */
const variablesIn = (files: readonly string[]): readonly string[] =>
  files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(read)].map(([, first, second]) => first ?? second ?? ""),
  )

it("is judged for every variable that the clients of the vendors' SDKs read", () => {
  const found = variablesIn(["openai/client.mjs", "openai/azure.mjs", "@anthropic-ai/sdk/client.mjs"])
  expect([...new Set(found)].toSorted()).toEqual(Object.keys(judged).toSorted())
})

it("is complete: the other files of the SDKs that read variables are those that a client with a key does not use", () => {
  const unused = /bedrock|vertex|credentials|tracing|environments|agent-toolset|utils\/(env|log)\.mjs|(^|\/)(bin|src)\//
  const others = ["openai", "@anthropic-ai/sdk"].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".mjs") && file !== "client.mjs" && file !== "azure.mjs")
      .map((file) => `${name}/${file}`)
      .filter((file) => variablesIn([file]).length > 0 && !unused.test(file)),
  )
  expect(others).toEqual([])
})
