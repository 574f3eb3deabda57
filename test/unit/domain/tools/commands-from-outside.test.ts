import { expect, it } from "vitest"
import { parseConfig } from "../../../../config/parse-config.ts"
import { mayRunCommands } from "../../../../domain/profiles/subagent-tools.ts"

it.each([
  ["", true],
  ["agents: { general: { tools: [Read, Bash] } }", true],
  ["agents: { general: { tools: [Read] } }", false],
  ["tools: { subagents: { deny: [Bash] } }", false],
  ["tools: { subagents: { deny: ['B*'] } }", false],
  ["tools: { subagents: { allow: [Read] } }", false],
  ["tools: { subagents: { allow: [Read, Bash] } }", true],
])("with the configuration %j is %s", (source, allowed) => {
  expect(mayRunCommands(parseConfig(source, "adjutant.config.yaml"))).toBe(allowed)
})
