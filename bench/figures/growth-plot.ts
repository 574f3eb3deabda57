import type { Growth } from "../benchmark.ts"

const width = 720
const height = 360
const margin = { top: 48, right: 24, bottom: 56, left: 72 }
const plotWidth = width - margin.left - margin.right
const plotHeight = height - margin.top - margin.bottom

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }
const escapeText = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? "")

/** Returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is at least the value. */
export const roundUp = (value: number): number => {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 2, 2.5, 5, 10].find((candidate) => candidate * power >= value) ?? 10
  return factor * power
}

interface Tick {
  readonly at: number
  readonly text: string
}

const ticks = (top: number, count: number): readonly number[] =>
  Array.from({ length: count + 1 }, (_, index) => (top / count) * index)

const horizontalLines = (lines: readonly Tick[]): string =>
  lines
    .map(
      ({ at, text }) =>
        `<line x1="${margin.left}" x2="${width - margin.right}" y1="${at}" y2="${at}" stroke="#ddd"/>` +
        `<text x="${margin.left - 8}" y="${at + 4}" text-anchor="end">${escapeText(text)}</text>`,
    )
    .join("\n")

const columnLabels = (labels: readonly Tick[]): string =>
  labels
    .map(
      ({ at, text }) =>
        `<text x="${at}" y="${height - margin.bottom + 18}" text-anchor="middle">${escapeText(text)}</text>`,
    )
    .join("\n")

/** Returns an SVG document with a line over a linear scale from zero, so that constant values are a flat line. */
export const growthPlot = ({ title, xLabel, yLabel, points }: Omit<Growth, "name">): string => {
  const top = roundUp(Math.max(...points.map(({ y }) => y)))
  const right = Math.max(...points.map(({ x }) => x))
  const atX = (x: number): number => Math.round(margin.left + (x / right) * plotWidth)
  const atY = (y: number): number => Math.round(margin.top + (1 - y / top) * plotHeight)
  const line = points.map(({ x, y }) => `${atX(x)},${atY(y)}`).join(" ")
  const dots = points.map(({ x, y }) => `<circle cx="${atX(x)}" cy="${atY(y)}" r="3.5" fill="#1f6feb"/>`).join("\n")
  const middle = margin.top + plotHeight / 2
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#333">`,
    `<title>${escapeText(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${margin.left}" y="24" font-size="15" font-weight="bold">${escapeText(title)}</text>`,
    horizontalLines(ticks(top, 5).map((value) => ({ at: atY(value), text: Math.round(value).toLocaleString("en") }))),
    columnLabels(points.map(({ x }) => ({ at: atX(x), text: String(x) }))),
    `<polyline points="${line}" fill="none" stroke="#1f6feb" stroke-width="2"/>`,
    dots,
    `<text x="${margin.left + plotWidth / 2}" y="${height - 12}" text-anchor="middle">${escapeText(xLabel)}</text>`,
    `<text x="16" y="${middle}" text-anchor="middle" transform="rotate(-90 16 ${middle})">${escapeText(yLabel)}</text>`,
    "</svg>",
    "",
  ].join("\n")
}
