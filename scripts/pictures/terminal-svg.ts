import { escapeHtml } from "../../http/pages/escape-html.ts"
import { type Colour, type Piece, terminalLines } from "./terminal-lines.ts"

/** Of a monospaced letter at the size of the text. */
const letter = { width: 8.4, height: 19, size: 14 }
const margin = 18

const colours: Readonly<Record<Colour, string>> = {
  red: "#f2938a",
  green: "#6fcf8f",
  yellow: "#e6b450",
  cyan: "#7fc7d9",
}
const ground = "#151917"
const ink = "#e6e9e6"
const quiet = "#a3ada8"

const attributesOf = ({ isBold, isDim, colour }: Piece): string => {
  const fill = colour === undefined ? (isDim ? quiet : ink) : colours[colour]
  return `fill="${fill}"${isBold ? ' font-weight="bold"' : ""}`
}

/** Every piece has its place and its width, so that columns are straight in any font. */
const pieceSvg = (piece: Piece, column: number, row: number): string => {
  const text = piece.text.trimStart()
  const length = Array.from(text).length
  const from = column + Array.from(piece.text).length - length
  const place = `x="${(margin + from * letter.width).toFixed(1)}" y="${margin + (row + 0.75) * letter.height}"`
  const width = `textLength="${(length * letter.width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`
  return `<text ${place} ${width} ${attributesOf(piece)}>${escapeHtml(text)}</text>`
}

const lineSvg = (pieces: readonly Piece[], row: number): readonly string[] => {
  let column = 0
  return pieces.flatMap((piece) => {
    const from = column
    column += Array.from(piece.text).length
    return piece.text.trim() === "" ? [] : [pieceSvg(piece, from, row)]
  })
}

/** Returns a picture of a terminal of this many columns after a program has written a text. `label` says what it shows. */
export const terminalSvg = (
  written: string,
  { columns, label }: { readonly columns: number; readonly label: string },
) => {
  const lines = terminalLines(written.trimEnd())
  const width = Math.ceil(2 * margin + columns * letter.width)
  const height = Math.ceil(2 * margin + lines.length * letter.height)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(label)}">`,
    `<rect width="${width}" height="${height}" rx="8" fill="${ground}"/>`,
    `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${letter.size}" xml:space="preserve">`,
    ...lines.flatMap(lineSvg),
    "</g>",
    "</svg>",
    "",
  ].join("\n")
}
