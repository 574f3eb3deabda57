import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import { createUnconfined } from "../../../tools/sandbox/unconfined.ts"
import type { Todo, Tool, ToolContext, ToolResult } from "../../../tools/tool.ts"

/** Creates a working directory with a secret next to it; both are removed when the test ends. */
export interface Workspace {
  readonly root: string
  readonly cwd: string
  readonly secret: string
  readonly context: ToolContext
  readonly todos: () => readonly Todo[]
  readonly put: (name: string, content: string | Buffer) => string
}

export const createWorkspace = (overrides: Partial<ToolContext> = {}): Workspace => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "adjutant-tools-")))
  const cwd = join(root, "project")
  mkdirSync(cwd)
  const secret = join(root, "secret.txt")
  writeFileSync(secret, "top secret\n")
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  let todos: readonly Todo[] = []
  const context: ToolContext = {
    sessionId: `test-${process.pid}-${Math.random().toString(36).slice(2)}`,
    cwd,
    spillDir: join(cwd, ".adjutant", "spill", "abc123"),
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
    sandbox: createUnconfined("a test", { graceMs: 200, maxOutputFileBytes: 1_000_000, backgroundStartMs: 100 }),
    signal: new AbortController().signal,
    todos: { read: async () => todos, write: async (next) => void (todos = next) },
    ...overrides,
  }
  return {
    root,
    cwd,
    secret,
    context,
    todos: () => todos,
    put(name, content) {
      const path = join(cwd, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    },
  }
}

/** Executes a tool as the worker does: its schema parses the input first. */
export const call = <Input>(tool: Tool<Input>, input: unknown, context: ToolContext): Promise<ToolResult> =>
  tool.execute(tool.input.parse(input), context)
