import { applyPatchInputSchema, type ApplyPatchInput } from "../../contracts/tool-input.ts"
import { applyPatchName } from "../../domain/tools/tool-names.ts"
import type { ConfinedPath } from "../disk/open-confined.ts"
import { confinePath } from "../files/confined-path.ts"
import { readTextFile, type TextFile } from "../files/read-text-file.ts"
import { refuseUnseen, replacedFile } from "../files/write.ts"
import { hashOfBytes } from "../protection/content.ts"
import { removeApproved, writeApproved } from "../protection/write-approved.ts"
import { defineTool, type FileChange, type ToolContext, type ToolResult, type TouchedFile } from "../tool.ts"
import { answeringFailures, expectedFailureText, ToolFailure } from "../tool-failure.ts"
import { applyHunks } from "./apply-hunks.ts"
import { type FilePatch, parsePatch, pathsOf } from "../../domain/tools/parse-patch.ts"

type Update = Extract<FilePatch, { kind: "update" }>

const filesOf = ({ patch }: ApplyPatchInput): readonly FilePatch[] => {
  const parsed = parsePatch(patch)
  return "problem" in parsed ? [] : parsed.files
}

const alreadyThere = (path: string): ToolFailure =>
  new ToolFailure(`${path} exists already: change it with "*** Update File", or choose another name`)

const changeOf = (file: FilePatch): FileChange => {
  const { kind, path } = file
  const present = (before: string | undefined): string => {
    if (before === undefined) throw new ToolFailure(`${path} does not exist`)
    return before
  }
  switch (kind) {
    case "add":
      return {
        path,
        isWhole: true,
        change: (before) => {
          if (before !== undefined) throw alreadyThere(path)
          return file.text
        },
      }
    case "delete":
      return { path, isWhole: true, removes: true, change: (before) => void present(before) }
    case "update":
      return {
        path,
        isWhole: false,
        ...(file.moveTo === undefined ? {} : { movesTo: file.moveTo }),
        change: (before) => applyHunks(path, present(before), file.hunks),
      }
  }
}

/** A change of one file that fits the files as they are. */
interface Planned {
  readonly line: string
  readonly run: () => Promise<readonly TouchedFile[]>
}

const written = (path: ConfinedPath, content: string, isSeen: boolean): TouchedFile => {
  const hash = hashOfBytes(Buffer.from(content))
  return { path: path.shown, written: hash, ...(isSeen ? { seen: hash } : {}) }
}

const requireAbsent = async (path: ConfinedPath): Promise<void> => {
  if ((await replacedFile(path)) !== undefined) throw alreadyThere(path.shown)
}

const planMove = async (
  { path, file, content }: { readonly path: ConfinedPath; readonly file: TextFile; readonly content: string },
  moveTo: string,
  { context, isSeen }: { readonly context: ToolContext; readonly isSeen: boolean },
): Promise<Planned> => {
  const target = await confinePath(moveTo, context, "write")
  if (target.real === path.real) throw new ToolFailure(`${path.shown} would be moved to itself`)
  await requireAbsent(target)
  return {
    line: `R ${path.shown} -> ${target.shown}`,
    run: async () => {
      await writeApproved(target, content, context, { newMode: file.mode })
      await removeApproved(path, context, file.version)
      return [written(target, content, isSeen), { path: path.shown, isGone: true }]
    },
  }
}

const planUpdate = async (change: Update, path: ConfinedPath, context: ToolContext): Promise<Planned> => {
  const file = await readTextFile(path)
  const text = applyHunks(path.shown, file.text, change.hunks)
  const content = file.byteOrderMark + text
  const isSeen = (await context.seenContent?.(path.shown)) === file.sha256
  if (change.moveTo !== undefined) return planMove({ path, file, content }, change.moveTo, { context, isSeen })
  if (text === file.text) throw new ToolFailure(`the patch would not change ${path.shown}`)
  return {
    line: `M ${path.shown}`,
    run: async () => {
      await writeApproved(path, content, context, file.version)
      return [written(path, content, isSeen)]
    },
  }
}

const planFile = async (file: FilePatch, context: ToolContext): Promise<Planned> => {
  const path = await confinePath(file.path, context, "write")
  switch (file.kind) {
    case "add": {
      await requireAbsent(path)
      return {
        line: `A ${path.shown}`,
        run: async () => {
          await writeApproved(path, file.text, context, "absent")
          return [written(path, file.text, true)]
        },
      }
    }
    case "delete": {
      const found = await readTextFile(path)
      await refuseUnseen(path, found, context)
      return {
        line: `D ${path.shown}`,
        run: async () => {
          await removeApproved(path, context, found.version)
          return [{ path: path.shown, isGone: true }]
        },
      }
    }
    case "update":
      return planUpdate(file, path, context)
  }
}

const requireDifferent = async (files: readonly FilePatch[], context: ToolContext): Promise<void> => {
  const real = await Promise.all(
    files.flatMap(pathsOf).map(async (path) => (await confinePath(path, context, "write")).real),
  )
  if (new Set(real).size < real.length)
    throw new ToolFailure("two names of the patch lead to the same file: put all hunks of a file together")
}

const failedAt = (planned: Planned, done: readonly string[], error: unknown): unknown => {
  const text = expectedFailureText(error)
  if (text === undefined || done.length === 0) return error
  return new ToolFailure(`${planned.line} failed: ${text}; made before it: ${done.join(", ")}`)
}

/** Applies a patch. All files are read and all texts are made before the first one is written: a patch that does not fit changes nothing. */
const execute = async (input: ApplyPatchInput, context: ToolContext): Promise<ToolResult> => {
  const files = filesOf(input)
  await requireDifferent(files, context)
  const plans: Planned[] = []
  for (const file of files) plans.push(await planFile(file, context))
  context.signal.throwIfAborted()
  const touched: TouchedFile[] = []
  const done: string[] = []
  for (const plan of plans) {
    try {
      touched.push(...(await plan.run()))
    } catch (error) {
      throw failedAt(plan, done, error)
    }
    done.push(plan.line)
  }
  return { content: `Done:\n${done.join("\n")}`, touched }
}

export const applyPatch = defineTool({
  name: applyPatchName,
  description: `Changes files by a patch: all of its files, or none if one of its changes does not fit.
*** Begin Patch
*** Add File: path/new.txt
+every line of the new file, after a +
*** Update File: path/old.txt
*** Move to: path/renamed.txt
@@ a line before the change, such as the head of its function
 a line that stays
-a line that goes
+a line that comes
*** Delete File: path/unused.txt
*** End Patch
- "*** Move to" is optional. @@ is too, where the lines that stay show the place: three before and three after a change are enough.
- Copy lines exactly, without the line numbers that Read shows. Name each file once, with all its hunks in the order of the file.
- A file is removed only if you have read it as it is now.`,
  input: applyPatchInputSchema,
  inputProblem: async ({ patch }) => {
    const parsed = parsePatch(patch)
    return "problem" in parsed ? parsed.problem : undefined
  },
  idempotent: false,
  readOnly: false,
  writes: (input) => filesOf(input).flatMap(pathsOf),
  changes: (input) => filesOf(input).map(changeOf),
  execute: answeringFailures(execute),
})
