/** Progress of a `go install -v`, from its standard error. */
export interface GoProgress {
  /** Adds the output since the last call. */
  read(text: string): void
  /** Returns the progress as text; empty at first. */
  text(): string
}

/** Number of packages in the Temporal CLI, including Go's standard library. Go does not print those that it has cached. */
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

/** Returns the output of a failed build without the names of packages and downloads. */
export const goComplaint = (errorText: string): string =>
  errorText
    .split("\n")
    .filter((line) => !goNotice.test(line) && !packageName.test(line))
    .join("\n")
