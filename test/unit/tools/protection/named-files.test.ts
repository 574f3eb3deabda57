import { homedir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { namedFiles } from "../../../../tools/protection/named-files.ts"

type Named = Parameters<typeof namedFiles>[0]

const model = { model: "x", maxOutputTokens: 1, price: null }

const run: Named = {
  cwd: "/project",
  hooks: { "agent:llm-before-execute": [{ command: "node", args: ["scripts/check", "src"], timeoutMs: 1 }] },
  mcpServers: {
    a: {
      ...{ command: "python3", args: ["-m", "tools.serve"], cwd: "sub" },
      ...{ env: {}, envFrom: {}, timeoutMs: 1, trustReadOnlyHint: false },
    },
  },
  execution: { type: "llm" },
  agents: {},
  models: {
    main: { ...model, provider: "scripted", script: "turns.yaml" },
    light: { ...model, provider: "cassette", cassette: { file: "tape.json", mode: "strict" } },
  },
}

test("names the scripts of interpreters in each form in which they are found, and the files of scripted models", () => {
  const named = namedFiles(run, "/project/adjutant.config.yaml")
  for (const path of [
    "scripts/check.js",
    "scripts/check/index.mjs",
    "scripts/check/package.json",
    "turns.yaml",
    "tape.json",
  ])
    expect(named).toContain(`/project/${path}`)
  for (const path of ["tools/serve.py", "tools/serve/__main__.py"]) expect(named).toContain(`/project/sub/${path}`)
  expect(named).not.toContain("/project/src/index.js")
})

test("names the programs that print the keys of models, with their arguments", () => {
  const apiKeyCommand = { command: "/project/token.sh", args: ["--from=keys/team.json"], expiresSeconds: 300 }
  const named = namedFiles({ ...run, models: { main: { ...model, provider: "openai", apiKeyCommand } } }, null)
  expect(named).toEqual(expect.arrayContaining(["/project/token.sh", "/project/keys/team.json"]))
})

test("names the files in the variables of programs", () => {
  const execution = { type: "binary" as const, command: "node", args: [], timeoutMs: 1, idempotent: false }
  const env = { NODE_OPTIONS: "--enable-source-maps --import=./before.mjs", BASH_ENV: "env.sh" }
  const named = namedFiles({ ...run, execution: { ...execution, env } }, null)
  expect(named).toEqual(expect.arrayContaining(["/project/before.mjs", "/project/env.sh"]))
})

test("names the packages that contain a module, and the folders from which a program loads code", () => {
  const execution = { type: "binary" as const, command: "python3", timeoutMs: 1, idempotent: false }
  const env = { PYTHONPATH: "lib/python:/opt/shared:", PATH: "tools/bin:node_modules/.bin", NODE_ENV: "test" }
  const named = namedFiles({ ...run, execution: { ...execution, args: ["-m", "pkg.part.mod"], env } }, null)
  for (const path of ["pkg/__init__.py", "pkg/part/__init__.py", "pkg/part/mod.py", "lib/python/", "tools/bin/"])
    expect(named).toContain(`/project/${path}`)
  expect(named).not.toContain("/project/node_modules/.bin/")
  expect(named).not.toContain("/project/test/")
})

test("names what the configuration of the worker names, also for a session without a model", () => {
  const apiKeyCommand = { command: "./bin/key", args: [], expiresSeconds: 300 }
  const worker = { ...run, models: { main: { ...model, provider: "openai" as const, apiKeyCommand } } }
  const plain: Named = { ...run, hooks: {}, mcpServers: {}, models: {} }
  const config = "/project/adjutant.config.yaml"
  expect(namedFiles(plain, config)).toEqual([config])
  expect(namedFiles(plain, config, worker)).toEqual(
    expect.arrayContaining(["/project/bin/key", "/project/scripts/check.js"]),
  )
})

test.each([
  ['"$HOME/x/y.sh"', join(homedir(), "x/y.sh")],
  ['"$HOME"/x/y.sh --fast', join(homedir(), "x/y.sh")],
  ["exec ~/x/y.sh", join(homedir(), "x/y.sh")],
  [". ${PWD}/env.sh", "/project/env.sh"],
  ["./a && ./b; ./c || ./d", "/project/d"],
  ["cd scripts && node check", "/project/scripts/check.js"],
  ['cd "a b" 2>/dev/null; cd scripts && cd deep && ./run', "/project/a b/scripts/deep/run"],
  ['(cd "$HOME"/tools && python3 serve)', join(homedir(), "tools/serve/__main__.py")],
])("names what a shell finds in the code of a hook: %s", (code, path) => {
  const hook = { command: "sh", args: ["-c", code], timeoutMs: 1 }
  const named = namedFiles({ ...run, hooks: { "agent:llm-before-execute": [hook] } }, "/project/adjutant.config.yaml")
  expect(named).toContain(path)
})
