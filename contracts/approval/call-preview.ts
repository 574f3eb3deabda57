import { z } from "zod"

/** The file that a call changes, as it was when the preview was made. */
export const previewedFileSchema = z.object({
  /** Relative to the working directory. */
  path: z.string(),
  action: z.enum(["create", "overwrite", "edit"]),
  /** Size in bytes; null if the file does not exist. */
  size: z.number().int().nonnegative().nullable(),
  /** Hash of the content, in hexadecimal; null if the file does not exist. */
  sha256: z.string().nullable(),
})

/** What a pending call would do: made by the worker when the pause opens, kept with the call, and shown by every channel. */
export const callPreviewSchema = z.object({
  /** One line: the tool, what it is about, and the size of the change. */
  summary: z.string(),
  /** Unified diff against the file as it is. */
  diff: z.string().optional(),
  /** What has no diff: the command as it would run, or the arguments. */
  text: z.string().optional(),
  /** What an approver should notice: arguments that are not the default, and facts about the file or the sandbox. */
  flags: z.array(z.string()),
  file: previewedFileSchema.optional(),
  /** Whether the processes of the call would run in a sandbox. */
  confined: z.boolean().optional(),
  /** What the call gets beyond its sandbox because it asks for it: no sandbox at all, the hosts that it names, or the whole network. */
  opens: z.enum(["sandbox", "hosts", "network"]).optional(),
  /** Hash of how its MCP server described the tool, in hexadecimal: its name, description, arguments and annotations. */
  tool_sha256: z.string().optional(),
  /** The protected path that the call would change. */
  protected_path: z.string().optional(),
  /** Why a call that was already approved is asked about again. */
  asked_again: z.string().optional(),
  /** The diff or the text is longer than shown here. */
  is_cut: z.boolean().optional(),
})
export type CallPreview = z.infer<typeof callPreviewSchema>
