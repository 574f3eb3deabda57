/**
 * Returns the start time, in clock ticks since boot, that the text of `/proc/<pid>/stat` on Linux contains; undefined for a process that has ended, also
 * while the system still lists it as a zombie. See proc(5).
 */
export const startTicksOf = (stat: string): string | undefined => {
  // The second field, the program's name in parentheses, can contain spaces and parentheses.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return state === "Z" || state === "X" ? undefined : fields[18]
}
