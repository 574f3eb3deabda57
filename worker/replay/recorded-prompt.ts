import { z } from "zod"
import { modelPrompt, type ModelPrompt } from "../../activities/model/model-prompt.ts"
import { toolSpec } from "../../activities/model/offer/tool-spec.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isAllowedTool, isOfferedTool, isOwnTool } from "../../domain/tools/tool-names.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import { defineTool, type Tool } from "../../tools/tool.ts"
import { ownTools } from "../../tools/own-tools.ts"
import type { Recording } from "./read-recording.ts"

/** Returns a description for the model of a tool that only its server or program could describe. */
const undescribed = (name: string): Tool =>
  defineTool({
    name,
    description: "A tool whose description was not recorded.",
    input: z.record(z.string(), z.unknown()),
    inputJsonSchema: { type: "object" },
    idempotent: true,
    readOnly: true,
    execute: async () => ({ content: "not executed", isError: true }),
  })

/** Returns the foreign tools that the recording calls: no MCP server is started, so no others are known. */
const foreignTools = ({ rows }: Recording, snapshot: RunSnapshot): readonly Tool[] => {
  const names = new Set(rows.flatMap(({ message }) => toolCallsOf(message).map(({ name }) => name)))
  return [...names].filter((name) => !isOwnTool(name) && isAllowedTool(snapshot, name)).map(undescribed)
}

/** Returns the system prompt and the tools of a recorded run, without connecting to MCP servers. */
export const recordedPrompt = (recording: Recording, snapshot: RunSnapshot): ModelPrompt => {
  const own = ownTools.filter(({ name }) => isOfferedTool(snapshot, name))
  return modelPrompt(snapshot, [...own, ...foreignTools(recording, snapshot)].map(toolSpec), recording.session)
}
