const maxLines = 400

/** The lines of two texts with what left (`del`) and what came (`ins`); long texts are compared as a whole. */
export const lineDiff = (before, after) => {
  const left = linesOf(before)
  const right = linesOf(after)
  if (left.length === 0 || right.length === 0 || left.length > maxLines || right.length > maxLines)
    return [...mark("del", left), ...mark("ins", right)]
  const common = commonLengths(left, right)
  const lines = []
  let i = 0
  let j = 0
  while (i < left.length && j < right.length) {
    if (left[i] === right[j]) {
      lines.push({ kind: "same", text: left[i] })
      i += 1
      j += 1
    } else if (common[i + 1][j] >= common[i][j + 1]) lines.push({ kind: "del", text: left[i++] })
    else lines.push({ kind: "ins", text: right[j++] })
  }
  return [...lines, ...mark("del", left.slice(i)), ...mark("ins", right.slice(j))]
}

/** The end of the last line begins no other one. */
const linesOf = (text) => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

const mark = (kind, lines) => lines.map((text) => ({ kind, text }))

const commonLengths = (left, right) => {
  const table = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1))
  for (let i = left.length - 1; i >= 0; i -= 1)
    for (let j = right.length - 1; j >= 0; j -= 1)
      table[i][j] = left[i] === right[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1])
  return table
}
