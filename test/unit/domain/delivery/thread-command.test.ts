import { describe, expect, it } from "vitest"
import { parseThreadCommand } from "../../../../domain/delivery/thread-command.ts"

describe("a command in a thread", () => {
  it.each([
    ["/agents", { name: "agents" }],
    [" /list\n", { name: "list" }],
    ["/stop", { name: "stop" }],
    ["/help", { name: "help" }],
    ["/info", { name: "info", target: "" }],
    ["/info #2", { name: "info", target: "#2" }],
    ["/kill docs survey", { name: "kill", target: "docs survey" }],
    ["/steer #1 look\nat the tests", { name: "steer", target: "#1", text: "look\nat the tests" }],
    ["/steer #1", { name: "steer", target: "", text: "" }],
  ])("is recognised in %j", (text, command) => expect(parseThreadCommand(text)).toEqual(command))

  it.each(["list", "/stop the press", "/lists", "/unknown", "/", "please /stop", "//stop", "/STOP", "/help me"])(
    "is not in %j, which goes to the agent",
    (text) => expect(parseThreadCommand(text)).toBeUndefined(),
  )
})
