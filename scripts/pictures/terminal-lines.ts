export type Colour = "red" | "green" | "yellow" | "cyan"

export interface TextStyle {
  readonly isBold: boolean
  readonly isDim: boolean
  readonly colour: Colour | undefined
}

export interface Cell extends TextStyle {
  readonly text: string
}

/** Characters of one style, one after another. */
export type Piece = Cell

const plain: TextStyle = { isBold: false, isDim: false, colour: undefined }

const styles: Readonly<Record<string, Partial<TextStyle>>> = {
  "": plain,
  "0": plain,
  "1": { isBold: true },
  "2": { isDim: true },
  "22": { isBold: false, isDim: false },
  "31": { colour: "red" },
  "32": { colour: "green" },
  "33": { colour: "yellow" },
  "36": { colour: "cyan" },
  "39": { colour: undefined },
}

const isAlike = (one: TextStyle, other: TextStyle): boolean =>
  one.isBold === other.isBold && one.isDim === other.isDim && one.colour === other.colour

/** Returns a line as pieces of one style each, without blanks at its end. */
const piecesOf = (cells: readonly Cell[]): readonly Piece[] => {
  const pieces: Piece[] = []
  const last = cells.findLastIndex(({ text }) => text !== " ")
  for (const cell of cells.slice(0, last + 1)) {
    const before = pieces.at(-1)
    if (before !== undefined && isAlike(before, cell))
      pieces[pieces.length - 1] = { ...before, text: before.text + cell.text }
    else pieces.push(cell)
  }
  return pieces
}

const sequence = /\u001b\[(?<codes>[\d;]*)(?<kind>[A-Za-z])|(?<sign>[^])/gu // oxlint-disable-line no-control-regex -- control sequences begin with this character

/**
 * Returns the lines that a terminal shows after a program has written a text: with the control sequences that Adjutant uses, which are colours, the
 * return to the beginning of a line, and the removal of its rest.
 */
export const terminalLines = (written: string): readonly (readonly Piece[])[] => {
  const lines: Cell[][] = [[]]
  let style = plain
  let column = 0
  const line = (): Cell[] => lines.at(-1) ?? []
  const put = (text: string): void => {
    while (line().length < column) line().push({ ...plain, text: " " })
    line()[column] = { ...style, text }
    column += 1
  }
  for (const { groups = {} } of written.matchAll(sequence)) {
    const { codes = "", kind, sign } = groups
    if (kind === "m") for (const code of codes.split(";")) style = { ...style, ...styles[code] }
    else if (kind === "K") line().splice(column)
    else if (kind !== undefined) throw new Error(`a picture cannot show the control sequence "[${codes}${kind}"`)
    else if (sign === "\r") column = 0
    else if (sign === "\n") lines.push([])
    else if (sign !== undefined) put(sign)
  }
  return lines.map(piecesOf)
}
