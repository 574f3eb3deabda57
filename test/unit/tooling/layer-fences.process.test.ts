import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { zodFreeContracts } from "../../../scripts/lint/layer-fences.ts"

const root = path.resolve(import.meta.dirname, "../../..")

const seams = ["models", "mcp-client", "tools", "store", "engine", "config"]

interface Snippet {
  readonly file: string
  readonly code: string
}

const value = (from: string) => `import { x } from "${from}"\nexport const y = [x]\n`
const type = (from: string) => `import type { X } from "${from}"\nexport type Y = readonly X[]\n`
const dynamic = (from: string) => `export const load = async () => await import("${from}")\n`
const reExport = (from: string) => `export * from "${from}"\n`

const from = (file: string, ...codes: string[]): Snippet[] => codes.map((code) => ({ file, code }))

const refused: readonly Snippet[] = [
  ...from("contracts/a.ts", value("../domain/b.ts"), type("../domain/b.ts"), type("../store/store.ts")),
  ...from("contracts/a.ts", value("node:fs"), value("@temporalio/common")),
  ...from("contracts/error-code.ts", value("zod"), value("./status.ts")),
  ...from("contracts/adjutant-error.ts", value("zod"), value("./pause.ts")),
  ...from(
    "domain/a.ts",
    value("zod"),
    value("node:crypto"),
    value("@temporalio/workflow"),
    value("../contracts/approval/pause.ts"),
  ),
  ...from("domain/a.ts", value("../workflows/b.ts"), type("../workflows/b.ts"), type("../store/store.ts")),
  ...from(
    "domain/a.ts",
    dynamic("../contracts/approval/pause.ts"),
    reExport("../contracts/approval/pause.ts"),
    value("./../store/store.ts"),
  ),
  ...from("domain/deep/a.ts", value("../../contracts/approval/pause.ts"), type("../../store/store.ts"), value("zod")),
  ...from("domain/a.ts", "export const y = Date.now()\n", "export const y = Math.random()\n"),
  ...from("domain/a.ts", "export const y = process.env\n", "export const y = () => setTimeout(() => {}, 1)\n"),
  ...from(
    "workflows/a.ts",
    value("zod"),
    value("node:fs"),
    value("../contracts/approval/pause.ts"),
    value("../activities/b.ts"),
  ),
  ...from("workflows/a.ts", value("@temporalio/client"), value("@temporalio/worker"), value("../client/b.ts")),
  ...from("workflows/a.ts", type("../cli/main.ts"), type("../worker/b.ts"), "export const y = process.env\n"),
  ...from("domain/a.ts", type("../network/b.ts")),
  ...from("workflows/a.ts", type("../network/b.ts")),
  ...from("network/a.ts", type("../models/b.ts"), type("../config/b.ts"), value("../cli/b.ts")),
  ...["models", "activities", "client", "server"].flatMap((layer) =>
    from(`${layer}/a.ts`, 'export const y = () => fetch("https://example.com")\n'),
  ),
  ...from("workflows/a.ts", type("../store/b.ts"), type("../sessions/b.ts"), type("../client/b.ts")),
  ...[...seams, "sessions", "activities", "server", "client"].flatMap((layer) => {
    const other = layer === "store" ? "config" : "store"
    return [
      ...from(`${layer}/a.ts`, value(`../${other}/b.ts`), dynamic(`../${other}/b.ts`), reExport(`../${other}/b.ts`)),
      ...from(`${layer}/a.ts`, type("../workflows/b.ts"), value("@temporalio/workflow")),
      ...from(`${layer}/deep/a.ts`, value(`../../${other}/b.ts`), type("../../cli/main.ts")),
      ...from(`${layer}/deep/er/a.ts`, value(`../../../${other}/b.ts`)),
      ...["worker", "http", "mcp", "cli"].flatMap((upper) => from(`${layer}/a.ts`, type(`../${upper}/b.ts`))),
      ...from(`${layer}/a.ts`, value("../test/helpers/b.ts"), value("../scripts/b.ts"), value("adjutant")),
    ]
  }),
  // `import type` must follow the same arrows as values.
  ...seams.flatMap((layer) =>
    ["sessions", "activities", "client", "server", layer === "engine" ? "store" : "engine"].flatMap((above) =>
      from(`${layer}/a.ts`, type(`../${above}/b.ts`)),
    ),
  ),
  ...from("sessions/a.ts", type("../activities/b.ts"), type("../client/b.ts"), type("../server/b.ts")),
  ...from("activities/a.ts", type("../client/b.ts"), type("../server/b.ts")),
  ...from("client/a.ts", type("../activities/b.ts"), value("../server/b.ts"), value("../config/b.ts")),
  ...[...seams, "sessions", "activities", "client", "http", "mcp", "cli"].flatMap((layer) =>
    from(`${layer}/a.ts`, value("@temporalio/worker"), value("@temporalio/worker/lib/x")),
  ),
  ...["http", "mcp"].flatMap((layer) => from(`${layer}/a.ts`, value("../engine/b.ts"), value("../sessions/b.ts"))),
  ...from("client/index.ts", value("@temporalio/worker"), type("../http/b.ts")),
  ...from("client/create-client.ts", dynamic("../service/b.ts")),
  ...from("worker/a.ts", type("../cli/b.ts"), type("../http/b.ts"), value("../mcp/b.ts"), value("../test/b.ts")),
  ...from("http/a.ts", type("../mcp/b.ts"), type("../cli/b.ts"), value("../store/b.ts"), value("../tools/b.ts")),
  ...from("mcp/a.ts", type("../http/b.ts"), type("../cli/b.ts"), value("../activities/b.ts"), value("../models/b.ts")),
  ...from("cli/a.ts", value("../workflows/b.ts"), value("../tools/b.ts"), value("../bench/b.ts")),
  ...from("examples/a.ts", value("../client/index.ts")),
  ...from("examples/deep/a.ts", value("../../client/index.ts")),
]

const accepted: readonly Snippet[] = [
  ...from("contracts/a.ts", value("zod"), value("./pause.ts")),
  ...from(
    "domain/a.ts",
    ...zodFreeContracts.map(value),
    type("../contracts/approval/pause.ts"),
    type("zod"),
    value("./b.ts"),
  ),
  ...from("domain/deep/a.ts", value("../b.ts"), value("./c.ts"), value("../../contracts/error-code.ts")),
  ...from("workflows/a.ts", value("../domain/b.ts"), value("@temporalio/workflow"), value("@temporalio/common")),
  ...from(
    "workflows/a.ts",
    type("../activities/b.ts"),
    type("../contracts/approval/pause.ts"),
    type("zod"),
    value("./b.ts"),
  ),
  ...from(
    "activities/a.ts",
    value("../models/model-error.ts"),
    value("../contracts/approval/pause.ts"),
    type("../store/store.ts"),
  ),
  ...from("tools/deep/a.ts", value("../tool.ts"), value("node:fs"), value("../../domain/b.ts")),
  ...from("mcp-client/a.ts", type("../tools/b.ts")),
  ...from("sessions/a.ts", value("../engine/b.ts"), type("../store/b.ts"), type("../config/b.ts")),
  ...from("activities/a.ts", value("../engine/b.ts"), value("../sessions/b.ts")),
  ...from("client/a.ts", value("../engine/b.ts"), value("../sessions/b.ts"), type("../server/b.ts")),
  ...from("engine/a.ts", value("../domain/b.ts"), value("@temporalio/client")),
  ...from("server/a.ts", value("@temporalio/worker"), value("../domain/b.ts")),
  ...from("client/index.ts", value("../store/b.ts"), value("../config/b.ts"), value("../server/b.ts")),
  ...from("client/connect.ts", dynamic("../service/b.ts")),
  ...from("worker/a.ts", value("@temporalio/worker"), value("../activities/b.ts"), value("../tools/b.ts")),
  ...from(
    "http/a.ts",
    value("../client/index.ts"),
    value("../config/b.ts"),
    type("../store/store.ts"),
    type("../sessions/b.ts"),
  ),
  ...from("mcp/a.ts", value("../client/index.ts"), value("../worker/b.ts"), value("../server/b.ts")),
  ...from("cli/a.ts", value("../http/b.ts"), value("../mcp/b.ts"), value("../store/b.ts"), value("../worker/b.ts")),
  ...from("test/unit/a.ts", value("@temporalio/worker"), value("../../workflows/b.ts")),
  ...from("examples/a.ts", value("adjutant"), value("adjutant/worker"), value("./b.ts")),
]

let workspace: string

beforeAll(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), "adjutant-fences-"))
})

afterAll(async () => {
  await rm(workspace, { recursive: true, force: true })
})

/** The fences need no type information, and rules that do take most of the linter's time. */
const withoutTypes = `
import config from "./project.config.ts"
export default { ...config, options: { ...config.options, typeAware: false } }
`

/** Copies the project's lint configuration to a temporary folder. */
const lintHome = async (name: string) => {
  const home = path.join(workspace, name)
  await cp(path.join(root, "scripts/lint"), path.join(home, "scripts/lint"), { recursive: true })
  await cp(path.join(root, "oxlint.config.ts"), path.join(home, "project.config.ts"))
  await writeFile(path.join(home, "oxlint.config.ts"), withoutTypes)
  await symlink(path.join(root, "node_modules"), path.join(home, "node_modules"))
  return home
}

const place = async (home: string, file: string, code: string) => {
  await mkdir(path.dirname(path.join(home, file)), { recursive: true })
  await writeFile(path.join(home, file), code)
}

/** Returns the files of `home` that a fence reports. */
const lint = async (home: string): Promise<ReadonlySet<string>> => {
  const oxlint = path.join(root, "node_modules/oxlint/bin/oxlint")
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, [oxlint, "--format", "json"], { cwd: home, maxBuffer: 2 ** 26 }, (_, out) =>
      resolve(out),
    )
  })
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] }
  return new Set(diagnostics.filter(({ code }) => code.includes("no-restricted-")).map(({ filename }) => filename))
}

/**
 * Returns the snippets that a fence reports. Snippets at `…/a.ts` share one run; a file with its own fence
 * gets a run of its own.
 */
const fenced = async (name: string, snippets: readonly Snippet[]) => {
  const shared = await lintHome(name)
  const shareable = snippets.filter(({ file }) => path.basename(file) === "a.ts")
  const numbered = shareable.map((snippet, index) => ({
    snippet,
    file: snippet.file.replace(/a\.ts$/, `a${index}.ts`),
  }))
  await Promise.all(numbered.map(({ snippet, file }) => place(shared, file, snippet.code)))
  const reported = await lint(shared)
  const found = new Set(numbered.filter(({ file }) => reported.has(file)).map(({ snippet }) => snippet))
  for (const [index, snippet] of snippets.filter((each) => !shareable.includes(each)).entries()) {
    const home = await lintHome(`${name}-${index}`)
    await place(home, snippet.file, snippet.code)
    if ((await lint(home)).has(snippet.file)) found.add(snippet)
  }
  return found
}

const describeSnippet = ({ file, code }: Snippet) => `${file}: ${code.split("\n")[0]}`

test("the linter rejects every import that crosses a layer in the wrong direction", async () => {
  const found = await fenced("refused", refused)
  expect(refused.filter((snippet) => !found.has(snippet)).map(describeSnippet)).toEqual([])
})

test("the linter accepts the imports that the architecture allows", async () => {
  const found = await fenced("accepted", accepted)
  expect(accepted.filter((snippet) => found.has(snippet)).map(describeSnippet)).toEqual([])
})
