/** How far a `go install -v` is, from the lines of its standard error. */
export interface GoProgress {
  /** Takes what was written since the last call. */
  read(text: string): void
  /** In words; empty where nothing is known yet. */
  text(): string
}

/** Packages of the Temporal CLI's release and of Go's own library that it needs; those that Go has cached are not named. */
const allPackages = 1_300

const downloading = /^go: downloading /
const goNotice = /^go: (downloading|finding|extracting|added|upgraded|trying) /
const packageName = /^[\w.~-]+(\/[\w.~-]+)*$/

export const createGoProgress = (): GoProgress => {
  let rest = ""
  let modules = 0
  let packages = 0
  return {
    read: (text) => {
      const lines = (rest + text).split("\n")
      rest = lines.pop() ?? ""
      modules += lines.filter((line) => downloading.test(line)).length
      packages += lines.filter((line) => packageName.test(line)).length
    },
    text: () => {
      if (packages > 0) return `${packages} of about ${Math.max(packages, allPackages)} packages`
      return modules > 0 ? `${modules} modules downloaded` : ""
    },
  }
}

/** What a failed build complained about: its output without the names of packages and downloads. */
export const goComplaint = (errorText: string): string =>
  errorText
    .split("\n")
    .filter((line) => !goNotice.test(line) && !packageName.test(line))
    .join("\n")
