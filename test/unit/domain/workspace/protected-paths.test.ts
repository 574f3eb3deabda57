import { describe, expect, it } from "vitest"
import { foldName, looksLikeGitDirectory, protectedPart } from "../../../../domain/workspace/protected-paths.ts"

const partOf = (path: string): string | undefined => {
  const segments = path.split("/")
  const part = protectedPart(segments)
  return part === undefined ? undefined : `${part.kind} ${segments.slice(0, part.depth).join("/")}`
}

describe("protectedPart", () => {
  it.each([
    ["adjutant.config.yaml", "entry adjutant.config.yaml"],
    ["packages/a/adjutant.config.yaml", "entry packages/a/adjutant.config.yaml"],
    ["AGENTS.md", "entry AGENTS.md"],
    ["docs/TOOLS.md", "entry docs/TOOLS.md"],
    [".adjutant/store.db", "entry .adjutant"],
    [".vscode/tasks.json", "entry .vscode"],
    [".mcp.json", "entry .mcp.json"],
    [".claude/settings.json", "entry .claude"],
    [".agents/skills/release/SKILL.md", "entry .agents"],
    ["packages/a/.claude/skills/x/SKILL.md", "entry packages/a/.claude"],
    [".idea/workspace.xml", "entry .idea"],
    ["sub/.envrc", "entry sub/.envrc"],
    [".bashrc", "entry .bashrc"],
    [".config/fish/config.fish", "entry .config/fish"],
    [".husky/pre-commit", "entry .husky"],
    [".git/config", "entry .git/config"],
    [".git/config.worktree", "entry .git/config.worktree"],
    [".git/hooks/pre-commit", "entry .git/hooks"],
    [".git/info/attributes", "entry .git/info/attributes"],
    [".git/commondir", "entry .git/commondir"],
    [".git/modules/lib/config", "entry .git/modules/lib/config"],
    [".git/modules/third/party/hooks/x", "entry .git/modules/third/party/hooks"],
    [".git/modules/a/modules/b/config", "entry .git/modules/a/modules/b/config"],
    [".git/worktrees/w/gitdir", "entry .git/worktrees/w/gitdir"],
    [".git/worktrees/w/config.worktree", "entry .git/worktrees/w/config.worktree"],
    ["CLAUDE.md", "entry CLAUDE.md"],
    ["docs/.cursorrules", "entry docs/.cursorrules"],
    [".clinerules/one.md", "entry .clinerules"],
    [".github/copilot-instructions.md", "entry .github/copilot-instructions.md"],
    [".devcontainer/devcontainer.json", "entry .devcontainer"],
    ["shop.code-workspace", "entry shop.code-workspace"],
    [".hg/hgrc", "entry .hg/hgrc"],
    [".jj/repo/config.toml", "entry .jj/repo/config.toml"],
    [".jj/workspace-config.toml", "entry .jj/workspace-config.toml"],
    ["_darcs/prefs/defaults", "entry _darcs/prefs/defaults"],
    [".pijul/config", "entry .pijul/config"],
    ["mise/config.toml", "entry mise/config.toml"],
    [".iex.exs", "entry .iex.exs"],
    [".byebugrc", "entry .byebugrc"],
    [".shadowenv.d/100.lisp", "entry .shadowenv.d"],
    [".amp/settings.json", "entry .amp"],
    ["crates/a/.cargo/config.toml", "entry crates/a/.cargo/config.toml"],
    [".vimrc", "entry .vimrc"],
    ["mise.toml", "entry mise.toml"],
    // asdf and mise take a program from a folder that it names: `nodejs path:./tools`.
    ["sub/.tool-versions", "entry sub/.tool-versions"],
    [".config/mise.toml", "entry .config/mise.toml"],
    [".pre-commit-config.yaml", "entry .pre-commit-config.yaml"],
    ["lefthook-local.yml", "entry lefthook-local.yml"],
    [".lintstagedrc.mjs", "entry .lintstagedrc.mjs"],
    [".Rprofile", "entry .Rprofile"],
    [".git/rebase-merge/git-rebase-todo", "entry .git/rebase-merge/git-rebase-todo"],
    [".git/worktrees/w/sequencer/todo", "entry .git/worktrees/w/sequencer/todo"],
    ["vendor/lib/.git/hooks/post-merge", "entry vendor/lib/.git/hooks"],
    // Names that some file systems take for the same.
    [".GIT/CONFIG", "entry .GIT/CONFIG"],
    [".Git/Hooks/x", "entry .Git/Hooks"],
    ["Agents.MD", "entry Agents.MD"],
    [".g\u200cit/config", "entry .g\u200cit/config"],
    [".gıt/confıg", "entry .gıt/confıg"],
    [".v\u017fcode/x", "entry .v\u017fcode"],
    ["\uff0egit/config", "entry \uff0egit/config"],
    [".git./config ", "entry .git./config "],
    ["GIT~1/config", "entry GIT~1/config"],
    [".git::$INDEX_ALLOCATION/config", "entry .git::$INDEX_ALLOCATION/config"],
  ])("finds the protected part of %j", (path, part) => {
    expect(partOf(path)).toBe(part)
  })

  it.each([
    ".git/index",
    ".git/HEAD",
    ".git/objects/info/packs",
    ".git/refs/heads/config",
    ".git/logs/refs/heads/hooks",
    ".git/modules/lib/refs/heads/hooks",
    ".git/modules/config/HEAD",
    ".git/worktrees/w/index",
    ".git/info/exclude",
  ])("leaves %s to git", (path) => {
    expect(partOf(path)).toBe("git .git")
  })

  it.each([
    "src/config",
    "hooks/a",
    "gitconfig",
    ".gitignore",
    ".gitattributes",
    "agents.txt",
    "README.md",
    "x.git/a",
    ".config/app",
  ])("does not protect %s", (path) => {
    expect(partOf(path)).toBeUndefined()
  })
})

describe("foldName", () => {
  it("makes the names equal that a file system could take for the same, and keeps others apart", () => {
    expect(foldName("CAF\u00c9")).toBe(foldName("cafe\u0301"))
    expect(foldName("a.b")).not.toBe(foldName("ab"))
  })
})

describe("looksLikeGitDirectory", () => {
  it("recognises a git directory of any name by its entries", () => {
    expect(looksLikeGitDirectory(["HEAD", "objects", "refs", "x"])).toBe(true)
    expect(looksLikeGitDirectory(["head", "Objects", "REFS"])).toBe(true)
    expect(looksLikeGitDirectory(["HEAD", "commondir"])).toBe(true)
    expect(looksLikeGitDirectory(["HEAD", "refs"])).toBe(false)
    expect(looksLikeGitDirectory(["objects", "refs"])).toBe(false)
  })
})
