import { readFile } from "node:fs/promises"
import { beforeAll, describe, expect, it } from "vitest"
import { pageStyle } from "../../../http/pages/approval-page.ts"

type Colours = Readonly<Record<string, string>>

interface Rule {
  readonly selector: string
  readonly body: string
}

/** Returns the innermost rules of a style sheet, in their order. */
const rulesOf = (css: string): readonly Rule[] =>
  [...css.replaceAll(/\/\*[^]*?\*\//g, "").matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, selector = "", body = ""]) => ({
    selector: selector.trim(),
    body,
  }))

const coloursOf = ({ body }: Rule): Colours =>
  Object.fromEntries(
    [...body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/g)].map(([, name = "", value = ""]) => [name, value]),
  )

/** Returns the colours of the first `:root`, and of the second one, which is that of the dark theme. */
const themesOf = (css: string): Readonly<Record<"light" | "dark", Colours>> => {
  const [light = {}, dark = {}] = rulesOf(css)
    .filter(({ selector }) => selector === ":root")
    .map(coloursOf)
  return { light, dark: { ...light, ...dark } }
}

const channelsOf = (colour: string): readonly number[] =>
  [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)

/** Returns the relative luminance as WCAG 2.2 defines it. */
const luminanceOf = (channels: readonly number[]): number => {
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns the contrast of a colour, which can be transparent, on an opaque one. */
const contrast = (colour: string, ground: string, opacity = 1): number => {
  const behind = channelsOf(ground)
  const shown = channelsOf(colour).map((value, at) => value * opacity + (behind[at] ?? 0) * (1 - opacity))
  const [darker = 0, lighter = 0] = [luminanceOf(shown), luminanceOf(behind)].toSorted((left, right) => left - right)
  return (lighter + 0.05) / (darker + 0.05)
}

type Pair = readonly [colour: string, ground: string]

const eachOn = (colours: readonly string[], grounds: readonly string[]): readonly Pair[] =>
  colours.flatMap((colour) => grounds.map((ground) => [colour, ground] as const))

/** Returns the pairs that have less contrast than required, with what they have. */
const faint = (colours: Colours, pairs: readonly Pair[], least: number): readonly string[] =>
  pairs.flatMap(([colour, ground]) => {
    const ratio = contrast(colours[colour] ?? "#000000", colours[ground] ?? "#000000")
    return ratio < least ? [`${colour} on ${ground}: ${ratio.toFixed(2)}`] : []
  })

const styleFolder = new URL("../../../web/style/", import.meta.url)
const readStyle = (name: string): Promise<string> => readFile(new URL(name, styleFolder), "utf8")

const texts = ["ink", "quiet", "accent", "good", "bad", "wait"]
const leastOfText = 4.5
const leastOfBorders = 3

describe("the contrast", () => {
  it("is computed as WCAG defines it", () => {
    expect(contrast("#000000", "#ffffff")).toBeCloseTo(21)
    expect(contrast("#767676", "#ffffff")).toBeCloseTo(4.54, 2)
    expect(contrast("#ffffff", "#000000", 0)).toBeCloseTo(1)
  })
})

describe.each(["light", "dark"] as const)("the %s theme", (theme) => {
  const grounds = ["paper", "panel", "code", "waiting", "removed", "added"]
  let base: string
  let colours: Colours
  beforeAll(async () => {
    base = await readStyle("1-base.css")
    colours = themesOf(base)[theme]
  })

  it("has readable texts on every background of the web page", () => {
    for (const name of [...texts, ...grounds, "edge", "on-accent"]) expect(colours).toHaveProperty(name)
    const pairs = [...eachOn(texts, grounds), ["on-accent", "accent"] as const, ["panel", "wait"] as const]
    expect(faint(colours, pairs, leastOfText)).toEqual([])
    expect(faint(colours, eachOn(["ink"], ["added-word", "removed-word"]), leastOfText)).toEqual([])
  })

  it("has visible borders of controls and marks of a status, also while a mark is animated", () => {
    expect(faint(colours, eachOn(["edge", "accent", "good", "bad", "wait", "quiet"], grounds), leastOfBorders)).toEqual(
      [],
    )
    const faded = rulesOf(base).find(({ selector }) => selector === "50%")?.body ?? ""
    const opacity = Number(/opacity: ([\d.]+)/.exec(faded)?.[1])
    for (const ground of ["paper", "panel"])
      expect(contrast(colours["accent"] ?? "", colours[ground] ?? "", opacity)).toBeGreaterThanOrEqual(leastOfBorders)
  })

  it("has readable texts and visible borders on the page of an approval link, with the colours of the web page", () => {
    const own = themesOf(pageStyle)[theme]
    expect(Object.keys(own)).not.toEqual([])
    expect(colours).toMatchObject(own)
    const pairs = [...eachOn(texts, ["paper", "code"]), ...eachOn(["on-accent"], ["good", "bad"])]
    for (const name of pairs.flat()) expect(own).toHaveProperty(name)
    expect(faint(own, pairs, leastOfText)).toEqual([])
    expect(faint(own, eachOn(["edge", "good", "bad", "wait"], ["paper", "code"]), leastOfBorders)).toEqual([])
  })
})

describe("the style sheets", () => {
  const operated =
    /\b(?:button|select|input|textarea|details|dialog|kbd|aria-selected)\b|\.(?:call|meter|mark|status|span)\b/

  it("give nothing that a person operates or that shows a status the faint line that only separates", async () => {
    const sheets = await Promise.all(["1-base.css", "2-frame.css", "3-session.css", "4-review.css"].map(readStyle))
    const rules = sheets.flatMap(rulesOf).filter(({ selector }) => operated.test(selector))
    expect(rules.length).toBeGreaterThan(20)
    expect(rules.filter(({ body }) => body.includes("var(--line)")).map(({ selector }) => selector)).toEqual([])
  })

  it("of the page of an approval link use no colour besides those that are checked", () => {
    const rest = pageStyle.replaceAll(/--[\w-]+:#[0-9a-f]{6}/g, "")
    expect(rest).not.toMatch(/#[0-9a-f]{3,8}\b|\brgb|\bhsl|opacity/i)
  })
})
