import { describe, expect, it } from "vitest"
import { continueCall, questionOfRequest } from "../../../mcp-client/call-question.ts"
import { createCallTurns, type Elicit } from "../../../mcp-client/connection/call-turns.ts"

const question = (message: string): Parameters<Elicit>[0] => ({
  message,
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
})

describe("a question that a server asks during calls", () => {
  const setUp = () => {
    const turns = createCallTurns()
    const asked: string[] = []
    const call = (name: string) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      const elicit: Elicit = () => {
        asked.push(name)
        return { action: "accept", content: { name } }
      }
      return { ended: turns.inTurn(() => turns.askedDuring(elicit, () => promise)), end: resolve }
    }
    return { turns, asked, call }
  }

  it("is answered by the call that runs", async () => {
    const { turns, asked, call } = setUp()
    const only = call("only")
    expect(turns.answer(question("Who?"))).toEqual({ action: "accept", content: { name: "only" } })
    only.end()
    await only.ended
    expect(asked).toEqual(["only"])
  })

  it("is answered by none of several that run, and from then on calls run one after the other", async () => {
    const { turns, asked, call } = setUp()
    const [first, second] = [call("first"), call("second")]
    expect(turns.answer(question("Who?"))).toEqual({ action: "cancel" })
    first.end()
    second.end()
    await Promise.all([first.ended, second.ended])
    const [third, fourth] = [call("third"), call("fourth")]
    await Promise.resolve()
    turns.answer(question("Who?"))
    third.end()
    await third.ended
    await Promise.resolve()
    turns.answer(question("Who?"))
    fourth.end()
    await fourth.ended
    expect(asked).toEqual(["third", "fourth"])
  })
})

describe("a call of an older server that asks several questions", () => {
  it("is made again with all answers, in the order of the questions", () => {
    const first = continueCall({ state: questionOfRequest(question("Who?"), [], "test").state, text: "Ada" }, "test")
    if (first.kind !== "call") throw new Error("the first answer does not fit")
    const { state } = questionOfRequest(question("And who else?"), first.start.answers, "test")
    expect(continueCall({ state, text: "Bo" }, "test")).toEqual({
      kind: "call",
      start: {
        answers: [
          { action: "accept", content: { name: "Ada" } },
          { action: "accept", content: { name: "Bo" } },
        ],
      },
    })
  })
})
