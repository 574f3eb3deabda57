import type { Execution } from "../../contracts/run-snapshot.ts"
import { fillBridgeTemplate, type FilledTemplate, parseBridgeTemplate } from "../../domain/tools/bridge-template.ts"
import type { Instruction } from "./instruction-of.ts"

/** The arguments of a bridge's call: its template filled in, or the instruction as it is. */
export const bridgeArguments = (
  { mcpToolInput }: Extract<Execution, { type: "mcp-bridge" }>,
  instruction: Instruction,
): FilledTemplate => {
  if (mcpToolInput === undefined) return { ok: true, args: { ...instruction } }
  const parsed = parseBridgeTemplate(mcpToolInput)
  return parsed.ok ? fillBridgeTemplate(parsed.template, instruction) : parsed
}
