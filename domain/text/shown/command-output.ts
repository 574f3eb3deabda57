/** Returns what the end of an output has beyond an earlier end of the same output: all of it if both have nothing in common. Only whole lines count. */
export const newLines = (before: string, after: string): string => {
  const whole = after.slice(0, after.lastIndexOf("\n") + 1)
  for (let length = Math.min(before.length, whole.length); length > 0; length -= 1)
    if (whole.startsWith(before.slice(before.length - length))) return whole.slice(length)
  return whole
}

/** Returns the last lines of an output, without blank ones at its end. */
export const lastLines = (output: string, most: number): string => output.trimEnd().split("\n").slice(-most).join("\n")
