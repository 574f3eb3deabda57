import { oneLine } from "../terminal/plain-text.ts"
import type { Candidate } from "./candidates.ts"

export const shells = ["bash", "zsh", "fish"] as const
export type Shell = (typeof shells)[number]

const scripts: Readonly<Record<Shell, string>> = {
  bash: `_adjutant() {
  local IFS=$'\\n'
  COMPREPLY=($(adjutant completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _adjutant adjutant
`,
  zsh: `#compdef adjutant
_adjutant() {
  local -a found
  found=("\${(@f)$(adjutant completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n $found ]]; then _describe adjutant found; else _files; fi
}
compdef _adjutant adjutant
`,
  fish: `function __adjutant_candidates
    set -l found (adjutant completion fish -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c adjutant -f -a '(__adjutant_candidates)'
`,
}

/** Returns the script that a shell reads once. It asks the program for candidates at each use. */
export const completionScript = (shell: Shell): string => scripts[shell]

const maxAbout = 80

/** Returns a candidate in the form that the script of a shell reads. */
export const candidateLine = (shell: Shell, { word, about }: Candidate): string => {
  const name = oneLine(word, 200)
  const meaning = oneLine(about, maxAbout)
  if (shell === "bash" || meaning === "") return shell === "zsh" ? name.replaceAll(":", "\\:") : name
  return shell === "zsh" ? `${name.replaceAll(":", "\\:")}:${meaning}` : `${name}\t${meaning}`
}
