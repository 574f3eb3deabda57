import { describe, expect, it } from "vitest"
import {
  armedMs,
  atRest,
  type KeyAct,
  type KeyPlace,
  type KeyState,
  press,
  type PressedKey,
} from "../../../web/review/key-rules.ts"

const call = (name = "one", isInView = true): KeyPlace => ({ kind: "call", call: name, isInView })
const card: KeyPlace = { kind: "card" }
const page: KeyPlace = { kind: "page" }
const field: KeyPlace = { kind: "field" }
const plain = { ctrlKey: false, metaKey: false, altKey: false, repeat: false }
const pressed = (key: string, change: Partial<PressedKey> = {}): PressedKey => ({ ...plain, key, ...change })
const carryOut = pressed("Enter", { ctrlKey: true })
const armed: KeyState = { isLocked: false, armed: { call: "one", sinceMs: 100 } }

/** Presses one key after another at a place, a millisecond each; returns the state, and what was done. */
const type = (text: string, place: KeyPlace, from: KeyState = atRest) => {
  let state = from
  const acts: KeyAct[] = []
  for (const [at, key] of text.split("").entries()) {
    const outcome = press(state, pressed(key === "\n" ? "Enter" : key), place, 1_000 + at)
    ;({ state } = outcome)
    if (outcome.act !== undefined) acts.push(outcome.act)
  }
  return { state, acts }
}

describe("an approval by keys", () => {
  it("is armed by y, and carried out by Ctrl+Enter or Cmd+Enter within five seconds", () => {
    const { state, act } = press(atRest, pressed("y"), call(), 100)
    expect([state, act]).toEqual([armed, undefined])
    for (const key of [carryOut, pressed("Enter", { metaKey: true })])
      expect(press(state, key, call(), 100 + armedMs)).toEqual({ state: atRest, act: "approve" })
    expect(press(state, carryOut, call(), 101 + armedMs).act).toBe("ignore")
  })

  it("stays armed while Ctrl or Cmd is pressed for what follows", () => {
    for (const key of ["Control", "Meta"]) expect(press(armed, pressed(key), call(), 200)).toEqual({ state: armed })
  })

  it.each(["n", "e", "x", " ", "j", "a", "Enter", "Escape", "Tab", "Shift", "Alt", "ArrowDown", "F5"])(
    "is disarmed by %s",
    (key) => {
      expect(press(armed, pressed(key), call(), 200).state).toEqual(atRest)
    },
  )

  it("is disarmed by another shortcut, and by what carried it out", () => {
    expect(press(armed, pressed("c", { ctrlKey: true }), call(), 200)).toEqual({ state: atRest })
    expect(press(press(armed, carryOut, call(), 200).state, carryOut, call(), 201).act).toBe("ignore")
  })

  it("is carried out neither at another call or place, nor by a key that is held down", () => {
    expect(press(armed, carryOut, call("two"), 200).act).toBe("ignore")
    for (const place of [card, page, field]) expect(press(armed, carryOut, place, 200).act).not.toBe("approve")
    expect(press(armed, { ...carryOut, repeat: true }, call(), 200).act).toBe("ignore")
  })

  it("is neither armed nor carried out for a call that cannot be seen, which is shown instead", () => {
    expect(press(atRest, pressed("y"), call("one", false), 100)).toEqual({ state: atRest, act: "show" })
    expect(press(armed, carryOut, call("one", false), 200)).toEqual({ state: atRest, act: "show" })
  })

  it("needs no other key in between that a button could take", () => {
    expect(press(atRest, carryOut, call(), 100).act).toBe("ignore")
    expect(press(atRest, carryOut, card, 100).act).toBe("ignore")
  })
})

describe("a call that has the focus", () => {
  it("goes to its reason by n and to its arguments by e, whatever was pressed before", () => {
    for (const state of [atRest, armed, { isLocked: true }])
      for (const [key, act] of [
        ["n", "reason"],
        ["N", "reason"],
        ["e", "edit"],
      ] as const)
        expect(press(state, pressed(key), call(), 200)).toEqual({ state: atRest, act })
  })
})

describe("text that is typed", () => {
  const texts = ["just say why this is one file", "pay", "any jolly nice way\nday", "yes", "GRAY", "/approve 1, please"]

  it.each(texts)("%j carries nothing out, wherever it is typed", (text) => {
    for (const place of [call(), card, page, field]) expect(type(text, place).acts).not.toContain("approve")
    for (const place of [card, page, field]) expect(type(text, place).state.armed).toBeUndefined()
  })

  it("locks letters and what enters a card, until Escape or Tab", () => {
    for (const place of [card, page]) {
      const { state, acts } = type("ux", place)
      expect([state, acts]).toEqual([{ isLocked: true }, []])
      expect(type("jasgy\n", place, state)).toEqual({ state, acts: place === card ? ["ignore"] : [] })
      for (const key of ["Escape", "Tab"]) expect(press(state, pressed(key), place, 200)).toEqual({ state: atRest })
    }
  })

  it("means nothing to the page while it is in a field, which Escape leaves", () => {
    expect(type("any way, y", field)).toEqual({ state: atRest, acts: [] })
    expect(press(armed, pressed("Escape"), field, 200)).toEqual({ state: atRest, act: "leave-field" })
    expect(press(armed, carryOut, field, 200)).toEqual({ state: atRest })
  })
})

describe("the keys that lead through the page", () => {
  it("do so from a call, a card and elsewhere, and Enter goes into a card", () => {
    for (const place of [call(), card, page])
      expect(type("jkasrpg/", place).acts).toEqual([
        ...["next", "previous", "review", "compose", "start", "profiles", "home", "search"],
      ])
    expect(press(atRest, pressed("Enter"), card, 100).act).toBe("enter")
    for (const place of [call(), page]) expect(press(atRest, pressed("Enter"), place, 100).act).toBeUndefined()
  })
})
