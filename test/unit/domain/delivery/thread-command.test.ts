import { describe, expect, it } from "vitest"
import { parseThreadCommand } from "../../../../domain/delivery/thread-command.ts"

describe("a command in a thread", () => {
  it.each([
    ["/agents", { name: "agents" }],
    ["/stop", { name: "stop" }],
    ["/help", { name: "help" }],
    ["/unfocus", { name: "unfocus" }],
    ["/focus #2", { name: "focus", target: "#2" }],
    ["/session idle 24h", { name: "session", setting: "idle", duration: "24h" }],
    ["/session max-age off", { name: "session", setting: "max-age", duration: "off" }],
    ["/spawn explore find the\ntests", { name: "spawn", agent: "explore", task: "find the\ntests" }],
    ["/subagents spawn explore find it", { name: "spawn", agent: "explore", task: "find it" }],
    [
      "/spawn explore find --model it --thinking high --model light",
      { name: "spawn", agent: "explore", task: "find", model: "light", thinking: "high" },
    ],
    ["/spawn explore what does --model x do?", { name: "spawn", agent: "explore", task: "what does --model x do?" }],
  ])("is recognised in %j", (text, command) => expect(parseThreadCommand(text)).toEqual(command))

  it.each([
    [" /list\n", { action: "list" }],
    ["/subagents list", { action: "list" }],
    ["/info", { action: "info" }],
    ["/info #2", { action: "info", target: "#2" }],
    ["/subagents info #2", { action: "info", target: "#2" }],
    ["/log", { action: "log" }],
    ["/log 5", { action: "log", limit: 5 }],
    ["/log docs survey 5 tools", { action: "log", target: "docs survey", limit: 5, includeTools: true }],
    ["/log #1 tools", { action: "log", target: "#1", includeTools: true }],
    ["/kill docs survey", { action: "kill", target: "docs survey" }],
    ["/kill", { action: "kill" }],
    ["/subagents kill all", { action: "kill", target: "all" }],
    ["/send #1 the second file", { action: "send", target: "#1", message: "the second file" }],
    ["/steer #1 look\nat the tests", { action: "steer", target: "#1", message: "look\nat the tests" }],
    ["/steer #1", { action: "steer", target: "#1" }],
  ])("about sub-agents is recognised in %j", (text, input) =>
    expect(parseThreadCommand(text)).toEqual({ name: "subagents", input }),
  )

  it.each([
    ...[
      "/lists",
      "/unknown",
      "/unknown thing",
      "/stop the press",
      "/help me",
      "/focus",
      "/session idle",
      "/session x 1h",
    ],
    ...["/subagents", "/subagents wait", "/spawn explore", "/list all"],
  ])("is answered with the list in %j", (text) => expect(parseThreadCommand(text)).toEqual({ name: "help" }))

  it.each(["list", "/", "please /stop", "//stop", "/STOP", "/srv/project is empty", "/a1"])(
    "is not in %j, which goes to the agent",
    (text) => expect(parseThreadCommand(text)).toBeUndefined(),
  )
})
