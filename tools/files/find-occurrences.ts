/** Returns, for each prefix of a text, the length of its longest proper prefix that it also ends with. */
const prefixLengths = (text: string): Int32Array => {
  const lengths = new Int32Array(text.length)
  let length = 0
  for (let at = 1; at < text.length; at += 1) {
    while (length > 0 && text.charCodeAt(at) !== text.charCodeAt(length)) length = lengths[length - 1] ?? 0
    if (text.charCodeAt(at) === text.charCodeAt(length)) length += 1
    lengths[at] = length
  }
  return lengths
}

/**
 * Returns the offsets at which `wanted` occurs, at most `max` of them. Takes time proportional to the length of the texts (Knuth, Morris and
 * Pratt), which `indexOf` in a loop does not if both texts repeat themselves.
 */
export const findOccurrences = (
  text: string,
  wanted: string,
  { overlapping, max }: { readonly overlapping: boolean; readonly max: number },
): readonly number[] => {
  if (wanted === "") return []
  const lengths = prefixLengths(wanted)
  const found: number[] = []
  let matched = 0
  for (let at = 0; at < text.length && found.length < max; at += 1) {
    const code = text.charCodeAt(at)
    while (matched > 0 && code !== wanted.charCodeAt(matched)) matched = lengths[matched - 1] ?? 0
    if (code === wanted.charCodeAt(matched)) matched += 1
    if (matched < wanted.length) continue
    found.push(at + 1 - wanted.length)
    matched = overlapping ? (lengths[matched - 1] ?? 0) : 0
  }
  return found
}
