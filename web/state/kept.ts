import { type Signal, signal } from "@preact/signals"

const prefix = "adjutant."

/** Reads what this browser keeps under a name; undefined if it keeps nothing, or may not. */
const readKept = (name: string): string | undefined => {
  try {
    return localStorage.getItem(prefix + name) ?? undefined
  } catch {
    return undefined
  }
}

const keep = (name: string, value: string): void => {
  try {
    localStorage.setItem(prefix + name, value)
  } catch {
    // It is forgotten with the page.
  }
}

/** A choice of the person that this browser keeps: `yes` or not. */
export const keptFlag = (name: string): Signal<boolean> => {
  const flag = signal(readKept(name) === "yes")
  flag.subscribe((value) => keep(name, value ? "yes" : "no"))
  return flag
}

const mostKept = 500

/** The newest names of a set that this browser keeps. */
export const keptSet = (name: string): Signal<ReadonlySet<string>> => {
  const set = signal<ReadonlySet<string>>(new Set((readKept(name) ?? "").split(" ").filter((each) => each !== "")))
  set.subscribe((value) => keep(name, [...value].slice(-mostKept).join(" ")))
  return set
}

/** A text that this browser keeps, such as what somebody has begun to write. */
export const keptText = (name: string): Signal<string> => {
  const text = signal(readKept(name) ?? "")
  text.subscribe((value) => keep(name, value))
  return text
}
